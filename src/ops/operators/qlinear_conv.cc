#include "ops/shape_helpers.h"
#include "ops/window.h"

namespace planish::ops {
namespace {

void infer_qlinear_conv(InferContext& context) {
  const std::optional<Shape> shape = convolution_shape(context, 0, 3);
  if (shape) check_bias(context, 8, (*shape)[1]);
  context.set_output(0, tensor_type(context.input_dtype(7), shape));
}

Cost cost_qlinear_conv(const ir::Node&,
                       std::span<const Dims> inputs,
                       std::span<const Dims> outputs) {
  return {convolution_flops(inputs[3], outputs[0])};
}

}  // namespace

PLANISH_OPERATOR(qlinear_conv) {
  const TypeSet bytes = type_bit(DType::kInt8) | type_bit(DType::kUint8),
                scale = type_bit(DType::kFloat32);
  OpDef d;
  d.name = "QLinearConv";
  d.since = 10;
  d.inputs = {{"x", Arity::kRequired, bytes, "T1"},
              {"x_scale", Arity::kRequired, scale},
              {"x_zero_point", Arity::kRequired, bytes, "T1"},
              {"w", Arity::kRequired, bytes, "T2"},
              {"w_scale", Arity::kRequired, scale},
              {"w_zero_point", Arity::kRequired, bytes, "T2"},
              {"y_scale", Arity::kRequired, scale},
              {"y_zero_point", Arity::kRequired, bytes, "T3"},
              {"B", Arity::kOptional, type_bit(DType::kInt32)}};
  d.outputs = {{"y", Arity::kRequired, bytes, "T3"}};
  d.attributes = window_attributes({{"group", AttrKind::kInt}});
  d.infer = &infer_qlinear_conv;
  d.cost = &cost_qlinear_conv;
  return d;
}

}  // namespace planish::ops
