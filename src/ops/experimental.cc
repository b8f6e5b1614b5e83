#include "ops/experimental.h"

#include "ops/elementwise.h"

namespace planish::ops {

OpDef experimental(std::string_view name,
                   std::initializer_list<std::string_view> attributes,
                   void (*upgrade)(UpgradeContext&)) {
  OpDef d;
  d.name = name;
  d.removed = 10;
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T"}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T"}};
  d.legacy_attributes = attributes;
  d.infer = [](InferContext& context) {
    context.fail(fmt::format("{} must be upgraded", context.node().op));
  };
  d.upgrade = upgrade;
  return d;
}

float take_float(UpgradeContext& context, std::string_view attribute) {
  const float value = context.node().attributes.get_float(attribute);
  context.node().attributes.erase(attribute);
  return value;
}

float take_float(UpgradeContext& context, std::string_view attribute, float fallback) {
  const float value = context.node().attributes.get_float(attribute, fallback);
  context.node().attributes.erase(attribute);
  return value;
}

void scaled_function(UpgradeContext& context, std::string_view fn) {
  ir::Node& node = context.node();
  const ir::ValueId x = context.input(0);
  const ir::ValueId beta = constant_like(context, "beta", take_float(context, "beta"), 0);
  const ir::ValueId alpha = constant_like(context, "alpha", take_float(context, "alpha"), 0);
  const ir::ValueId inner = context.emit(fn, {context.emit("Mul", {x, beta})});
  node.op = "Mul";
  node.inputs = {inner, alpha};
}

}  // namespace planish::ops
