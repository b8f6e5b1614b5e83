#include "ops/normalization.h"

namespace planish::ops {

PLANISH_OPERATOR(instance_normalization) {
  OpDef d;
  d.name = "InstanceNormalization";
  d.inputs = {{"input", Arity::kRequired, kAnyFloat, "T"},
              {"scale", Arity::kRequired, kAnyFloat, "T"},
              {"B", Arity::kRequired, kAnyFloat, "T"}};
  d.outputs = {{"output", Arity::kRequired, kAnyFloat, "T"}};
  d.attributes = {{"epsilon", AttrKind::kFloat}};
  d.legacy_attributes = {"consumed_inputs"};
  d.infer = [](InferContext& context) { infer_channel_normalization(context, 3); };
  d.upgrade = [](UpgradeContext& context) { context.node().attributes.erase("consumed_inputs"); };
  d.cost = &normalization_cost;
  return d;
}

}  // namespace planish::ops
