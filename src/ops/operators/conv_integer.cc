#include "ops/shape_helpers.h"
#include "ops/window.h"

namespace planish::ops {
namespace {

void infer_conv_integer(InferContext& context) {
  context.set_output(0, tensor_type(DType::kInt32, convolution_shape(context, 0, 1)));
}

Cost cost_conv_integer(const ir::Node&,
                       std::span<const Dims> inputs,
                       std::span<const Dims> outputs) {
  return {convolution_flops(inputs[1], outputs[0])};
}

}  // namespace

PLANISH_OPERATOR(conv_integer) {
  const TypeSet bytes = type_bit(DType::kInt8) | type_bit(DType::kUint8);
  OpDef d;
  d.name = "ConvInteger";
  d.since = 10;
  d.inputs = {{"x", Arity::kRequired, bytes, "T1"},
              {"w", Arity::kRequired, bytes, "T2"},
              {"x_zero_point", Arity::kOptional, bytes, "T1"},
              {"w_zero_point", Arity::kOptional, bytes, "T2"}};
  d.outputs = {{"y", Arity::kRequired, type_bit(DType::kInt32)}};
  d.attributes = window_attributes({{"group", AttrKind::kInt}});
  d.infer = &infer_conv_integer;
  d.cost = &cost_conv_integer;
  return d;
}

}  // namespace planish::ops
