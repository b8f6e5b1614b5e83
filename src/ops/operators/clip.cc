// The bounds were attributes up to opset 10, with the range of float32 as default from 6 on.
#include <limits>

#include "ops/elementwise.h"

namespace planish::ops {

namespace {

void upgrade_clip(UpgradeContext& context) {
  drop_consumed(context);
  if (context.from() >= 11) return;
  ir::Node& node = context.node();
  const float widest = std::numeric_limits<float>::max();
  const auto bound = [&](const char* name, float fallback) {
    if (!node.attributes.has(name) && context.from() < 6) return ir::kNoValue;
    const float value = node.attributes.get_float(name, fallback);
    node.attributes.erase(name);
    return constant_like(context, name, value, 0);
  };
  const ir::ValueId low = bound("min", -widest);
  const ir::ValueId high = bound("max", widest);
  node.inputs.resize(1, ir::kNoValue);
  node.inputs.insert(node.inputs.end(), {low, high});
}

}  // namespace

PLANISH_OPERATOR(clip) {
  OpDef d = activation("Clip", 1, kAnyNumeric);
  d.inputs = {{"input", Arity::kRequired, kAnyNumeric, "T"},
              {"min", Arity::kOptional, kAnyNumeric, "T"},
              {"max", Arity::kOptional, kAnyNumeric, "T"}};
  d.legacy_attributes = {"consumed_inputs", "max", "min"};
  d.upgrade = &upgrade_clip;
  return d;
}

}  // namespace planish::ops
