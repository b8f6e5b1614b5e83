#include "ops/normalization.h"

namespace planish::ops {
namespace {

// Opset 18 had scale and bias per group: with the groups as channels of a [N, groups, rest] tensor
// that is an instance normalisation.
void upgrade_group_normalization(UpgradeContext& context) {
  ir::Node& node = context.node();
  if (context.from() >= 21) return;
  const int64_t groups = node.attributes.get_int("num_groups");
  const float epsilon = node.attributes.get_float("epsilon", 1e-5f);
  const ir::ValueId x = context.input(0), scale = context.input(1), bias = context.input(2);
  const ir::ValueId shape = context.emit("Shape", {x});
  const ir::ValueId target = context.constant("groups", Tensor::of<int64_t>({3}, {0, groups, -1}));
  const ir::ValueId grouped = context.emit("Reshape", {x, target});
  node.op = "InstanceNormalization";
  node.inputs = {grouped, scale, bias};
  node.attributes = {};
  node.attributes.set("epsilon", epsilon);
  context.wrap_output(0, "Reshape", {shape});
}

void infer_group_normalization(InferContext& context) {
  infer_channel_normalization(context, 2);
  const int64_t groups = context.attributes().get_int("num_groups");
  const Shape* x = context.input_shape(0);
  const std::optional<int64_t> channels = x ? (*x)[1].constant() : std::nullopt;
  if (groups < 1 || (channels && *channels % groups != 0)) {
    context.fail(
        fmt::format("{} channels do not split into {} groups", channels ? *channels : 0, groups));
  }
}

}  // namespace

PLANISH_OPERATOR(group_normalization) {
  OpDef d;
  d.name = "GroupNormalization";
  d.since = 18;
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T"},
              {"scale", Arity::kRequired, kAnyFloat, "T"},
              {"bias", Arity::kRequired, kAnyFloat, "T"}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T"}};
  d.attributes = {{"epsilon", AttrKind::kFloat},
                  {"num_groups", AttrKind::kInt, true},
                  {"stash_type", AttrKind::kInt}};
  d.infer = &infer_group_normalization;
  d.upgrade = &upgrade_group_normalization;
  d.cost = &normalization_cost;
  return d;
}

}  // namespace planish::ops
