#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_dynamic_quantize_linear(InferContext& context) {
  const Shape* x = context.input_shape(0);
  context.set_output(0, tensor_type(DType::kUint8, x ? std::optional(*x) : std::nullopt));
  context.set_output(1, Type::tensor(DType::kFloat32, {}));
  context.set_output(2, Type::tensor(DType::kUint8, {}));
}

}  // namespace

PLANISH_OPERATOR(dynamic_quantize_linear) {
  OpDef d;
  d.name = "DynamicQuantizeLinear";
  d.since = 11;
  d.inputs = {{"x", Arity::kRequired, type_bit(DType::kFloat32)}};
  d.outputs = {{"y", Arity::kRequired, type_bit(DType::kUint8)},
               {"y_scale", Arity::kRequired, type_bit(DType::kFloat32)},
               {"y_zero_point", Arity::kRequired, type_bit(DType::kUint8)}};
  d.infer = &infer_dynamic_quantize_linear;
  return d;
}

}  // namespace planish::ops
