#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_batch_normalization(InferContext& context) {
  std::optional<SizeExpr> channels;
  if (const Shape* x = context.input_shape(0)) {
    if (x->empty()) context.fail("the input is a scalar");
    channels = x->size() == 1 ? SizeExpr(1) : (*x)[1];
  }
  for (size_t i = 1; i <= 4; ++i) {
    const Shape* s = context.input_shape(i);
    if (!s) continue;
    if (s->size() != 1)
      context.fail(
          fmt::format("input {} is {}; one number per channel is needed", i, to_string(*s)));
    channels = channels ? same_dim(context, *channels, (*s)[0],
                                   fmt::format("the channels of X and input {}", i))
                        : (*s)[0];
  }
  same_as_input(context);
  const Shape per_channel = {channels ? *channels : context.fresh_dim()};
  if (context.output_count() > 1)
    context.set_output(1, tensor_type(context.input_dtype(3), per_channel));
  if (context.output_count() > 2)
    context.set_output(2, tensor_type(context.input_dtype(4), per_channel));
}

// Before opset 9, spatial = 0 meant statistics per activation: plain arithmetic.
void expand_per_activation(UpgradeContext& context) {
  ir::Node& node = context.node();
  const float epsilon = node.attributes.get_float("epsilon", 1e-5f);
  const std::vector<ir::ValueId> in = node.inputs;
  const ir::ValueId eps =
      context.emit("CastLike", {context.constant("epsilon", Tensor::scalar(epsilon)), in[4]});
  const ir::ValueId root = context.emit("Sqrt", {context.emit("Add", {in[4], eps})});
  const ir::ValueId centred = context.emit("Sub", {in[0], in[3]});
  const ir::ValueId scaled = context.emit("Mul", {context.emit("Div", {centred, root}), in[1]});
  node.op = "Add";
  node.inputs = {scaled, in[2]};
  node.attributes = {};
}

// Before opset 14 more than one output asked for training mode; outputs 3 and 4 were scratch.
void upgrade_batch_normalization(UpgradeContext& context) {
  ir::Node& node = context.node();
  if (context.from() >= 14) return;
  const bool spatial = node.attributes.get_int("spatial", 1) != 0;
  for (const std::string_view name : {"spatial", "is_test", "consumed_inputs"})
    node.attributes.erase(name);
  size_t named = 0;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] != ir::kNoValue) named = i + 1;
  }
  if (named > 3) {
    fail(ErrorCode::kUnsupported,
         "BatchNormalization: outputs saved_mean and saved_var of opsets before 14 are not "
         "supported; remove them");
  }
  if (named > 1) node.attributes.set("training_mode", int64_t{1});
  if (context.from() < 9 && !spatial) {
    if (named > 1)
      fail(ErrorCode::kUnsupported,
           "BatchNormalization: training with spatial = 0 is not supported");
    expand_per_activation(context);
  }
}

// The statistics fold into one multiply-add per element.
Cost cost_batch_normalization(const ir::Node&,
                              std::span<const Dims> inputs,
                              std::span<const Dims>) {
  double flops = 2;
  for (const int64_t d : inputs[0]) flops *= static_cast<double>(d);
  return {flops};
}

}  // namespace

PLANISH_OPERATOR(batch_normalization) {
  OpDef d;
  d.name = "BatchNormalization";
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T"},
              {"scale", Arity::kRequired, kAnyFloat, "T1"},
              {"B", Arity::kRequired, kAnyFloat, "T1"},
              {"input_mean", Arity::kRequired, kAnyFloat, "T2"},
              {"input_var", Arity::kRequired, kAnyFloat, "T2"}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T"},
               {"running_mean", Arity::kOptional, kAnyFloat, "T2"},
               {"running_var", Arity::kOptional, kAnyFloat, "T2"}};
  d.attributes = {{"epsilon", AttrKind::kFloat},
                  {"momentum", AttrKind::kFloat},
                  {"training_mode", AttrKind::kInt}};
  d.legacy_attributes = {"consumed_inputs", "is_test", "spatial"};
  d.infer = &infer_batch_normalization;
  d.upgrade = &upgrade_batch_normalization;
  d.cost = &cost_batch_normalization;
  return d;
}

}  // namespace planish::ops
