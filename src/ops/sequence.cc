#include "ops/sequence.h"

namespace planish::ops {

Type either(InferContext& context, const Type& a, const Type& b) {
  if (!a.is_tensor() || !b.is_tensor()) return a == b ? a : Type{};
  const DType dtype = a.dtype != DType::kUndefined ? a.dtype : b.dtype;
  if (b.dtype != DType::kUndefined && b.dtype != dtype)
    context.fail(fmt::format("{} and {} in one sequence", to_string(dtype), to_string(b.dtype)));
  if (!a.has_shape() || !b.has_shape() || a.shape->size() != b.shape->size())
    return Type::tensor(dtype);
  Shape shape = *a.shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != (*b.shape)[i]) shape[i] = context.fresh_dim();
  }
  return Type::tensor(dtype, std::move(shape));
}

Type element_of(const InferContext& context, size_t input) {
  const Type& type = context.input_type(input);
  const bool holds = type.kind == Type::Kind::kSequence || type.kind == Type::Kind::kOptional;
  return holds && type.element.size() == 1 ? type.element[0] : Type{};
}

Formal any_input(std::string_view name, Arity arity) { return {name, arity, 0, ""}; }

}  // namespace planish::ops
