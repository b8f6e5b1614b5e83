#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_constant_of_shape(InferContext& context) {
  const Tensor* value = context.attributes().get_tensor("value");
  if (value != nullptr && value->size() != 1)
    context.fail(fmt::format("value has {} elements, one is needed", value->size()));
  const DType dtype = value != nullptr ? value->dtype() : DType::kFloat32;
  const std::optional<Shape> shape = described_shape(context, 0);
  context.set_output(0, tensor_type(dtype, shape));
  if (!shape || value == nullptr) return;
  for (const SizeExpr& dim : *shape) {
    if (dim.constant().value_or(0) < 0)
      context.fail(fmt::format("shape {} has a negative dim", to_string(*shape)));
  }
  const auto dims = constant_dims(*shape);
  const auto content = symbolic_content(*value);
  if (!content || !dims) return;
  const auto count = product(*shape).constant();
  if (!count || *count > kMaxSymbolicElements) return;
  context.set_symbolic(
      0, {*dims, std::vector<SizeExpr>(static_cast<size_t>(*count), content->elements[0])});
}

}  // namespace

PLANISH_OPERATOR(constant_of_shape) {
  OpDef d;
  d.name = "ConstantOfShape";
  d.since = 9;
  d.inputs = {int64_input("input")};
  d.outputs = {{"output", Arity::kRequired, kAnyTensor}};
  d.attributes = {{"value", AttrKind::kTensor}};
  d.infer = &infer_constant_of_shape;
  return d;
}

}  // namespace planish::ops
