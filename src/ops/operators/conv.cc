#include "ops/shape_helpers.h"
#include "ops/window.h"

namespace planish::ops {
namespace {

void infer_conv(InferContext& context) {
  const std::optional<Shape> shape = convolution_shape(context, 0, 1);
  if (shape) check_bias(context, 2, (*shape)[1]);
  context.set_output(0, tensor_type(context.input_dtype(0), shape));
}

Cost cost_conv(const ir::Node&, std::span<const Dims> inputs, std::span<const Dims> outputs) {
  return {convolution_flops(inputs[1], outputs[0])};
}

}  // namespace

PLANISH_OPERATOR(conv) {
  OpDef d;
  d.name = "Conv";
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T"},
              {"W", Arity::kRequired, kAnyFloat, "T"},
              {"B", Arity::kOptional, kAnyFloat, "T"}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T"}};
  d.attributes = window_attributes({{"group", AttrKind::kInt}});
  d.infer = &infer_conv;
  d.cost = &cost_conv;
  return d;
}

}  // namespace planish::ops
