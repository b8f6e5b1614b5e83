// Integer expressions over named symbols: the dims of symbolic shapes and the values of
// shape-computing subgraphs (`N`, `2*S + 1`, `ceildiv(H, 2)`).
//
// Kept in a canonical form, a sum of products over atoms with like terms joined, so that equal
// expressions compare equal in all everyday cases (N+N == 2*N, (a+b)-b == a). An atom is a symbol
// or a function (floordiv, ceildiv, mod, min, max) of expressions. Equality of canonical forms
// implies equality of values; the converse does not hold (may_equal() stays cautious). Arithmetic
// is exact: an overflow of 64 bits throws kInvalidModel. Plain values, thread safe.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace planish {

class SizeExpr {
 public:
  enum class Fn : uint8_t { kSymbol, kFloorDiv, kCeilDiv, kMod, kMin, kMax };

  struct Atom {
    Fn fn = Fn::kSymbol;
    std::string symbol;          // kSymbol only
    std::vector<SizeExpr> args;  // two for every function
    std::strong_ordering operator<=>(const Atom& other) const;
    bool operator==(const Atom& other) const;
  };
  struct Term {
    int64_t coefficient = 0;
    std::vector<Atom> factors;  // sorted; repeated for powers
    std::strong_ordering operator<=>(const Term& other) const;
    bool operator==(const Term& other) const;
  };

  SizeExpr() = default;        // 0
  SizeExpr(int64_t constant);  // NOLINT: a number is an expression
  static SizeExpr symbol(std::string name);
  // Parses to_string()'s form; kInvalidModel with the offset on a mistake.
  static SizeExpr parse(std::string_view text);

  bool is_constant() const { return terms_.empty(); }
  // The number, when is_constant().
  std::optional<int64_t> constant() const;
  bool is_symbol() const;  // exactly one symbol, nothing else
  int64_t constant_term() const { return constant_; }
  const std::vector<Term>& terms() const { return terms_; }

  std::set<std::string> symbols() const;
  using Bindings = std::map<std::string, int64_t, std::less<>>;
  // kInvalidInput names a symbol without a value; kData a division by zero or overflow.
  int64_t evaluate(const Bindings& values) const;
  // Replaces symbols by expressions.
  SizeExpr substitute(const std::map<std::string, SizeExpr, std::less<>>& values) const;

  std::string to_string() const;

  friend SizeExpr operator+(const SizeExpr& a, const SizeExpr& b);
  friend SizeExpr operator-(const SizeExpr& a, const SizeExpr& b);
  friend SizeExpr operator*(const SizeExpr& a, const SizeExpr& b);
  SizeExpr operator-() const { return SizeExpr(0) - *this; }
  // Rounding towards minus (floor) and plus (ceil) infinity. Exact quotients are simplified
  // (floordiv(4*N, 2) == 2*N). A constant zero divisor throws kInvalidModel.
  static SizeExpr floor_div(const SizeExpr& a, const SizeExpr& b);
  static SizeExpr ceil_div(const SizeExpr& a, const SizeExpr& b);
  static SizeExpr mod(const SizeExpr& a, const SizeExpr& b);  // sign of the divisor
  static SizeExpr min(const SizeExpr& a, const SizeExpr& b);
  static SizeExpr max(const SizeExpr& a, const SizeExpr& b);

  std::strong_ordering operator<=>(const SizeExpr& other) const;
  bool operator==(const SizeExpr& other) const;

 private:
  static SizeExpr function(Fn fn, const SizeExpr& a, const SizeExpr& b);

  int64_t constant_ = 0;
  std::vector<Term> terms_;  // sorted, coefficients non-zero
};

// a == b for every binding, a != b for every binding (their difference is a non-zero constant), or
// unknown.
enum class Tri : uint8_t { kNo, kYes, kUnknown };
Tri equal(const SizeExpr& a, const SizeExpr& b);

using Shape = std::vector<SizeExpr>;        // every dim non-negative by meaning
std::string to_string(const Shape& shape);  // "[N, 3, 2*H]"
// All constant: the numbers.
std::optional<std::vector<int64_t>> constant_dims(const Shape& shape);

}  // namespace planish
