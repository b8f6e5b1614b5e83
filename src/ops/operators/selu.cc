// The defaults of opset 1 had four decimals only.
#include "ops/elementwise.h"

namespace planish::ops {

namespace {

void upgrade_selu(UpgradeContext& context) {
  drop_consumed(context);
  if (context.from() >= 6) return;
  Attributes& attributes = context.node().attributes;
  if (!attributes.has("alpha")) attributes.set("alpha", 1.6732f);
  if (!attributes.has("gamma")) attributes.set("gamma", 1.0507f);
}

}  // namespace

PLANISH_OPERATOR(selu) {
  OpDef d = activation("Selu", 1, kAnyFloat);
  d.attributes = {{"alpha", AttrKind::kFloat}, {"gamma", AttrKind::kFloat}};
  d.upgrade = &upgrade_selu;
  return d;
}

}  // namespace planish::ops
