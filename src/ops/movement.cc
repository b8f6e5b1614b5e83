#include "ops/movement.h"

namespace planish::ops {

OpDef mover(std::string_view name, int since) {
  OpDef d;
  d.name = name;
  d.since = since;
  d.inputs = {{"data", Arity::kRequired, kAnyTensor, "T"}};
  d.outputs = {{"output", Arity::kRequired, kAnyTensor, "T"}};
  return d;
}

Formal int64_input(std::string_view name, Arity arity) {
  return {name, arity, type_bit(DType::kInt64), ""};
}

Formal index_input(std::string_view name, Arity arity) {
  return {name, arity, type_bit(DType::kInt64) | type_bit(DType::kInt32), ""};
}

void set_shape(InferContext& context, std::optional<Shape> shape) {
  context.set_output(0, tensor_type(context.input_dtype(0), std::move(shape)));
}

void keep_content(InferContext& context, const Shape& shape) {
  auto content = context.input_symbolic(0);
  const auto dims = constant_dims(shape);
  if (!content || !dims) return;
  if (element_count(*dims) != static_cast<int64_t>(content->elements.size())) return;
  content->dims = *dims;
  context.set_symbolic(0, std::move(*content));
}

std::optional<Shape> described_shape(InferContext& context, size_t input) {
  if (auto content = context.input_symbolic(input)) return std::move(content->elements);
  const Shape* list = context.input_shape(input);
  if (list == nullptr || list->size() != 1) return std::nullopt;
  const std::optional<int64_t> rank = (*list)[0].constant();
  if (!rank || *rank < 0 || *rank > kMaxSymbolicElements) return std::nullopt;
  return fresh_shape(context, *rank);
}

Tri equal_sizes(const SizeExpr& a, const SizeExpr& b) {
  const Tri plain = equal(a, b);
  if (plain != Tri::kUnknown) return plain;
  const bool apart = never_negative(a - b - 1) || never_negative(b - a - 1);
  return apart ? Tri::kNo : Tri::kUnknown;
}

}  // namespace planish::ops
