// The first name of ScatterElements, gone with opset 11; on import it becomes that.
#include "ops/movement.h"

namespace planish::ops {

PLANISH_OPERATOR(scatter) {
  OpDef d = mover("Scatter", 9);
  d.removed = 11;
  d.inputs.insert(d.inputs.end(),
                  {index_input("indices"), {"updates", Arity::kRequired, kAnyTensor, "T"}});
  d.attributes = {{"axis", AttrKind::kInt}};
  d.infer = &infer_same;
  d.upgrade = [](UpgradeContext& context) { context.node().op = "ScatterElements"; };
  return d;
}

}  // namespace planish::ops
