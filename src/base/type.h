// The static type of a graph value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/size_expr.h"

namespace planish {

struct Type {
  enum class Kind : uint8_t { kUnknown, kTensor, kSequence, kOptional, kMap };

  Kind kind = Kind::kUnknown;
  DType dtype = DType::kUndefined;  // tensor: element; map: key
  std::optional<Shape> shape;       // tensor: nothing when the rank is unknown
  std::vector<Type> element;        // sequence, optional, map: exactly one

  static Type tensor(DType dtype) { return {Kind::kTensor, dtype, std::nullopt, {}}; }
  static Type tensor(DType dtype, Shape shape) {
    return {Kind::kTensor, dtype, std::move(shape), {}};
  }
  static Type sequence(Type of) {
    return {Kind::kSequence, DType::kUndefined, std::nullopt, {std::move(of)}};
  }
  static Type optional(Type of) {
    return {Kind::kOptional, DType::kUndefined, std::nullopt, {std::move(of)}};
  }
  static Type map(DType key, Type value) {
    return {Kind::kMap, key, std::nullopt, {std::move(value)}};
  }

  bool is_tensor() const { return kind == Kind::kTensor; }
  bool has_shape() const { return is_tensor() && shape.has_value(); }
  bool operator==(const Type&) const = default;
};

// Whether both are tensors of known shape that cannot be alike: another rank, or two numbers for
// one dim. An open dim contradicts nothing.
bool contradicts(const Type& a, const Type& b);

// "float32[N, 3, 224, 224]", "float32[?]" (rank unknown), "seq(map(int64, float32[]))",
// "optional(int64[2])", "unknown". parse_type is the inverse; kInvalidModel on a mistake.
std::string to_string(const Type& type);
Type parse_type(std::string_view text);

}  // namespace planish
