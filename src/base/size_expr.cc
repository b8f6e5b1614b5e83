#include "base/size_expr.h"

#include <algorithm>

#include "base/error.h"

namespace planish {
namespace {

int64_t add(int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_add_overflow(a, b, &r))
    fail(ErrorCode::kInvalidModel, "size {} + {} overflows", a, b);
  return r;
}
int64_t multiply(int64_t a, int64_t b) {
  int64_t r = 0;
  if (__builtin_mul_overflow(a, b, &r))
    fail(ErrorCode::kInvalidModel, "size {} * {} overflows", a, b);
  return r;
}
int64_t floor_div_int(int64_t a, int64_t b) {
  if (b == 0) fail(ErrorCode::kInvalidModel, "size {} divided by zero", a);
  if (b == -1) return multiply(a, -1);
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
int64_t ceil_div_int(int64_t a, int64_t b) {
  if (b == 0) fail(ErrorCode::kInvalidModel, "size {} divided by zero", a);
  if (b == -1) return multiply(a, -1);
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) == (b < 0) ? q + 1 : q;
}
int64_t apply(SizeExpr::Fn fn, int64_t a, int64_t b) {
  switch (fn) {
    case SizeExpr::Fn::kFloorDiv:
      return floor_div_int(a, b);
    case SizeExpr::Fn::kCeilDiv:
      return ceil_div_int(a, b);
    case SizeExpr::Fn::kMod:
      return add(a, -multiply(floor_div_int(a, b), b));
    case SizeExpr::Fn::kMin:
      return std::min(a, b);
    case SizeExpr::Fn::kMax:
      return std::max(a, b);
    case SizeExpr::Fn::kSymbol:
      break;
  }
  fail(ErrorCode::kInternal, "a symbol is not a function");
}
std::string_view fn_name(SizeExpr::Fn fn) {
  switch (fn) {
    case SizeExpr::Fn::kFloorDiv:
      return "floordiv";
    case SizeExpr::Fn::kCeilDiv:
      return "ceildiv";
    case SizeExpr::Fn::kMod:
      return "mod";
    case SizeExpr::Fn::kMin:
      return "min";
    case SizeExpr::Fn::kMax:
      return "max";
    case SizeExpr::Fn::kSymbol:
      break;
  }
  return "symbol";
}

// An expression may not grow without bound on a hostile model.
constexpr size_t kMaxTerms = 256;

bool symbol_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '/' || c == ':' || c == '$' || c == '@' || c == '#';
}

}  // namespace

std::strong_ordering SizeExpr::Atom::operator<=>(const Atom& other) const {
  if (const auto c = fn <=> other.fn; c != 0) return c;
  if (const auto c = symbol <=> other.symbol; c != 0) return c;
  return std::lexicographical_compare_three_way(args.begin(), args.end(), other.args.begin(),
                                                other.args.end());
}
bool SizeExpr::Atom::operator==(const Atom& other) const { return (*this <=> other) == 0; }

std::strong_ordering SizeExpr::Term::operator<=>(const Term& other) const {
  const auto c = std::lexicographical_compare_three_way(factors.begin(), factors.end(),
                                                        other.factors.begin(), other.factors.end());
  return c != 0 ? c : coefficient <=> other.coefficient;
}
bool SizeExpr::Term::operator==(const Term& other) const { return (*this <=> other) == 0; }

std::strong_ordering SizeExpr::operator<=>(const SizeExpr& other) const {
  if (const auto c = constant_ <=> other.constant_; c != 0) return c;
  return std::lexicographical_compare_three_way(terms_.begin(), terms_.end(), other.terms_.begin(),
                                                other.terms_.end());
}
bool SizeExpr::operator==(const SizeExpr& other) const { return (*this <=> other) == 0; }

SizeExpr::SizeExpr(int64_t constant) : constant_(constant) {}

SizeExpr SizeExpr::symbol(std::string name) {
  SizeExpr e;
  e.terms_.push_back({1, {Atom{Fn::kSymbol, std::move(name), {}}}});
  return e;
}

std::optional<int64_t> SizeExpr::constant() const {
  return is_constant() ? std::optional(constant_) : std::nullopt;
}

bool SizeExpr::is_symbol() const {
  return constant_ == 0 && terms_.size() == 1 && terms_[0].coefficient == 1 &&
         terms_[0].factors.size() == 1 && terms_[0].factors[0].fn == Fn::kSymbol;
}

SizeExpr operator+(const SizeExpr& a, const SizeExpr& b) {
  SizeExpr sum;
  sum.constant_ = add(a.constant_, b.constant_);
  // Merge two sorted lists of terms, joining those with equal factors.
  auto i = a.terms_.begin();
  auto j = b.terms_.begin();
  while (i != a.terms_.end() || j != b.terms_.end()) {
    const auto order = i == a.terms_.end()   ? std::strong_ordering::greater
                       : j == b.terms_.end() ? std::strong_ordering::less
                                             : std::lexicographical_compare_three_way(
                                                   i->factors.begin(), i->factors.end(),
                                                   j->factors.begin(), j->factors.end());
    if (order < 0) {
      sum.terms_.push_back(*i++);
    } else if (order > 0) {
      sum.terms_.push_back(*j++);
    } else {
      const int64_t coefficient = add(i->coefficient, j->coefficient);
      if (coefficient != 0) sum.terms_.push_back({coefficient, i->factors});
      ++i;
      ++j;
    }
  }
  if (sum.terms_.size() > kMaxTerms)
    fail(ErrorCode::kInvalidModel, "a symbolic size has over {} terms", kMaxTerms);
  return sum;
}

SizeExpr operator-(const SizeExpr& a, const SizeExpr& b) { return a + b * SizeExpr(-1); }

SizeExpr operator*(const SizeExpr& a, const SizeExpr& b) {
  // Terms with the constant as a term without factors.
  const auto all_terms = [](const SizeExpr& e) {
    std::vector<SizeExpr::Term> terms = e.terms_;
    if (e.constant_ != 0) terms.push_back({e.constant_, {}});
    return terms;
  };
  SizeExpr product;
  for (const auto& x : all_terms(a)) {
    for (const auto& y : all_terms(b)) {
      SizeExpr part;
      SizeExpr::Term term{multiply(x.coefficient, y.coefficient), x.factors};
      term.factors.insert(term.factors.end(), y.factors.begin(), y.factors.end());
      std::ranges::sort(term.factors);
      if (term.factors.empty()) {
        part.constant_ = term.coefficient;
      } else {
        part.terms_.push_back(std::move(term));
      }
      product = product + part;
    }
  }
  return product;
}

SizeExpr SizeExpr::function(Fn fn, const SizeExpr& a, const SizeExpr& b) {
  SizeExpr e;
  Atom atom{fn, {}, {a, b}};
  // min and max do not care for the order: keep one.
  if ((fn == Fn::kMin || fn == Fn::kMax) && atom.args[1] < atom.args[0])
    std::swap(atom.args[0], atom.args[1]);
  e.terms_.push_back({1, {std::move(atom)}});
  return e;
}

namespace {

// a / b where b is a non-zero constant that divides every coefficient and the constant.
std::optional<SizeExpr> exact_quotient(const SizeExpr& a, int64_t b) {
  if (a.constant_term() % b != 0) return std::nullopt;
  for (const auto& term : a.terms()) {
    if (term.coefficient % b != 0) return std::nullopt;
  }
  SizeExpr q(a.constant_term() / b);
  for (const auto& term : a.terms()) {
    SizeExpr product(term.coefficient / b);
    for (const auto& factor : term.factors) {
      product = product *
                (factor.fn == SizeExpr::Fn::kSymbol ? SizeExpr::symbol(factor.symbol)
                 : factor.fn == SizeExpr::Fn::kFloorDiv
                     ? SizeExpr::floor_div(factor.args[0], factor.args[1])
                 : factor.fn == SizeExpr::Fn::kCeilDiv
                     ? SizeExpr::ceil_div(factor.args[0], factor.args[1])
                 : factor.fn == SizeExpr::Fn::kMod ? SizeExpr::mod(factor.args[0], factor.args[1])
                 : factor.fn == SizeExpr::Fn::kMin ? SizeExpr::min(factor.args[0], factor.args[1])
                                                   : SizeExpr::max(factor.args[0], factor.args[1]));
    }
    q = q + product;
  }
  return q;
}

// The exact quotient of a by b when the canonical forms show one: b constant, a == k*b for a
// constant k, or a single-term b that divides every term of a.
std::optional<SizeExpr> quotient(const SizeExpr& a, const SizeExpr& b) {
  if (a == SizeExpr(0)) return a;
  if (const auto c = b.constant()) return *c == 0 ? std::nullopt : exact_quotient(a, *c);
  if (a == b) return SizeExpr(1);
  if (b.constant_term() != 0 || b.terms().size() != 1 || a.constant_term() != 0) {
    if (!a.terms().empty() && a.terms().size() == b.terms().size()) {
      const int64_t k = a.terms()[0].coefficient / b.terms()[0].coefficient;
      if (k != 0 && b * SizeExpr(k) == a) return SizeExpr(k);
    }
    return std::nullopt;
  }
  const auto& divisor = b.terms()[0];
  SizeExpr result;
  for (const auto& term : a.terms()) {
    if (term.coefficient % divisor.coefficient != 0) return std::nullopt;
    auto rest = term.factors;
    for (const auto& factor : divisor.factors) {
      const auto it = std::ranges::find(rest, factor);
      if (it == rest.end()) return std::nullopt;
      rest.erase(it);
    }
    // Rebuild the remaining product by dividing out: coefficient times the rest.
    SizeExpr product(term.coefficient / divisor.coefficient);
    for (const auto& factor : rest) {
      if (factor.fn != SizeExpr::Fn::kSymbol) return std::nullopt;
      product = product * SizeExpr::symbol(factor.symbol);
    }
    result = result + product;
  }
  return result;
}

}  // namespace

SizeExpr SizeExpr::floor_div(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant()) return floor_div_int(a.constant_, b.constant_);
  if (b.constant() == 0) fail(ErrorCode::kInvalidModel, "size {} divided by zero", a.to_string());
  if (auto q = quotient(a, b)) return *q;
  // floordiv(k*b*x + r, b) == k*x + floordiv(r, b): take out what divides.
  if (const auto c = b.constant()) {
    SizeExpr whole, rest(a.constant_);
    for (const auto& term : a.terms_) {
      SizeExpr part;
      part.terms_.push_back(term);
      auto& into = term.coefficient % *c == 0 ? whole : rest;
      into = into + part;
    }
    const int64_t k = floor_div_int(a.constant_, *c);
    whole = whole + SizeExpr(multiply(k, *c));
    rest = rest - SizeExpr(multiply(k, *c));
    if (whole != SizeExpr(0)) {
      const SizeExpr tail = rest.is_constant() ? SizeExpr(floor_div_int(rest.constant_, *c))
                                               : function(Fn::kFloorDiv, rest, b);
      return *exact_quotient(whole, *c) + tail;
    }
  }
  return function(Fn::kFloorDiv, a, b);
}

SizeExpr SizeExpr::ceil_div(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant()) return ceil_div_int(a.constant_, b.constant_);
  if (b.constant() == 0) fail(ErrorCode::kInvalidModel, "size {} divided by zero", a.to_string());
  if (auto q = quotient(a, b)) return *q;
  return function(Fn::kCeilDiv, a, b);
}

SizeExpr SizeExpr::mod(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant()) return apply(Fn::kMod, a.constant_, b.constant_);
  if (b.constant() == 0) fail(ErrorCode::kInvalidModel, "size {} modulo zero", a.to_string());
  if (quotient(a, b)) return 0;
  return function(Fn::kMod, a, b);
}

SizeExpr SizeExpr::min(const SizeExpr& a, const SizeExpr& b) {
  const SizeExpr difference = a - b;
  if (const auto c = difference.constant()) return *c <= 0 ? a : b;
  return function(Fn::kMin, a, b);
}

SizeExpr SizeExpr::max(const SizeExpr& a, const SizeExpr& b) {
  const SizeExpr difference = a - b;
  if (const auto c = difference.constant()) return *c >= 0 ? a : b;
  return function(Fn::kMax, a, b);
}

std::set<std::string> SizeExpr::symbols() const {
  std::set<std::string> names;
  for (const auto& term : terms_) {
    for (const auto& factor : term.factors) {
      if (factor.fn == Fn::kSymbol) names.insert(factor.symbol);
      for (const auto& arg : factor.args) names.merge(arg.symbols());
    }
  }
  return names;
}

int64_t SizeExpr::evaluate(const Bindings& values) const {
  int64_t sum = constant_;
  for (const auto& term : terms_) {
    int64_t product = term.coefficient;
    for (const auto& factor : term.factors) {
      int64_t v = 0;
      if (factor.fn == Fn::kSymbol) {
        const auto it = values.find(factor.symbol);
        if (it == values.end())
          fail(ErrorCode::kInvalidInput, "dim '{}' has no value", factor.symbol);
        v = it->second;
      } else {
        v = apply(factor.fn, factor.args[0].evaluate(values), factor.args[1].evaluate(values));
      }
      product = multiply(product, v);
    }
    sum = add(sum, product);
  }
  return sum;
}

SizeExpr SizeExpr::substitute(const std::map<std::string, SizeExpr, std::less<>>& values) const {
  SizeExpr sum(constant_);
  for (const auto& term : terms_) {
    SizeExpr product(term.coefficient);
    for (const auto& factor : term.factors) {
      if (factor.fn == Fn::kSymbol) {
        const auto it = values.find(factor.symbol);
        product = product * (it == values.end() ? symbol(factor.symbol) : it->second);
        continue;
      }
      const SizeExpr a = factor.args[0].substitute(values);
      const SizeExpr b = factor.args[1].substitute(values);
      switch (factor.fn) {
        case Fn::kFloorDiv:
          product = product * floor_div(a, b);
          break;
        case Fn::kCeilDiv:
          product = product * ceil_div(a, b);
          break;
        case Fn::kMod:
          product = product * mod(a, b);
          break;
        case Fn::kMin:
          product = product * min(a, b);
          break;
        case Fn::kMax:
          product = product * max(a, b);
          break;
        case Fn::kSymbol:
          break;
      }
    }
    sum = sum + product;
  }
  return sum;
}

std::string SizeExpr::to_string() const {
  std::string text;
  const auto join = [&](bool negative) {
    if (text.empty()) {
      if (negative) text += '-';
    } else {
      text += negative ? " - " : " + ";
    }
  };
  for (const auto& term : terms_) {
    join(term.coefficient < 0);
    const uint64_t size = term.coefficient < 0 ? 0 - static_cast<uint64_t>(term.coefficient)
                                               : static_cast<uint64_t>(term.coefficient);
    bool first = true;
    if (size != 1) {
      text += std::to_string(size);
      first = false;
    }
    for (const auto& factor : term.factors) {
      if (!first) text += '*';
      first = false;
      if (factor.fn == Fn::kSymbol) {
        text += factor.symbol;
      } else {
        text += fmt::format("{}({}, {})", fn_name(factor.fn), factor.args[0].to_string(),
                            factor.args[1].to_string());
      }
    }
  }
  if (constant_ != 0 || terms_.empty()) {
    join(constant_ < 0);
    text += std::to_string(constant_ < 0 ? 0 - static_cast<uint64_t>(constant_)
                                         : static_cast<uint64_t>(constant_));
  }
  return text;
}

namespace {

// sum := ['-'] product (('+'|'-') product)* ; product := factor ('*' factor)* ;
// factor := number | symbol | fn '(' sum ',' sum ')' | '(' sum ')'
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  SizeExpr parse() {
    const SizeExpr e = sum();
    if (skip(); at_ != text_.size()) wrong("unexpected text");
    return e;
  }

 private:
  [[noreturn]] void wrong(std::string_view what) const {
    fail(ErrorCode::kInvalidModel, "size expression '{}', column {}: {}", text_, at_ + 1, what);
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ < text_.size() && text_[at_] == c) return ++at_, true;
    return false;
  }
  void need(char c) {
    if (!take(c)) wrong(std::string("expected '") + c + "'");
  }

  SizeExpr sum() {
    if (++depth_ > 64) wrong("nested too deeply");
    SizeExpr e = take('-') ? -product() : product();
    while (true) {
      if (take('+')) {
        e = e + product();
      } else if (take('-')) {
        e = e - product();
      } else {
        --depth_;
        return e;
      }
    }
  }
  SizeExpr product() {
    SizeExpr e = factor();
    while (take('*')) e = e * factor();
    return e;
  }
  SizeExpr factor() {
    if (take('(')) {
      SizeExpr e = sum();
      need(')');
      return e;
    }
    skip();
    const size_t start = at_;
    while (at_ < text_.size() && symbol_char(text_[at_])) ++at_;
    const std::string word(text_.substr(start, at_ - start));
    if (word.empty()) wrong("expected a number, a symbol or '('");
    if (std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; })) {
      int64_t number = 0;
      for (const char c : word) number = add(multiply(number, 10), c - '0');
      return number;
    }
    if (take('(')) {
      const SizeExpr a = sum();
      need(',');
      const SizeExpr b = sum();
      need(')');
      if (word == "floordiv") return SizeExpr::floor_div(a, b);
      if (word == "ceildiv") return SizeExpr::ceil_div(a, b);
      if (word == "mod") return SizeExpr::mod(a, b);
      if (word == "min") return SizeExpr::min(a, b);
      if (word == "max") return SizeExpr::max(a, b);
      wrong("unknown function '" + word + "'");
    }
    return SizeExpr::symbol(word);
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

SizeExpr SizeExpr::parse(std::string_view text) { return Parser(text).parse(); }

Tri equal(const SizeExpr& a, const SizeExpr& b) {
  const SizeExpr difference = a - b;
  const auto c = difference.constant();
  if (!c) return Tri::kUnknown;
  return *c == 0 ? Tri::kYes : Tri::kNo;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += shape[i].to_string();
  }
  return text + "]";
}

std::optional<std::vector<int64_t>> constant_dims(const Shape& shape) {
  std::vector<int64_t> dims;
  for (const auto& d : shape) {
    const auto c = d.constant();
    if (!c) return std::nullopt;
    dims.push_back(*c);
  }
  return dims;
}

}  // namespace planish
