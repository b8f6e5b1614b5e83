// Scale: scale * x, until opset 10; on import it becomes Mul.
#include "ops/elementwise.h"
#include "ops/experimental.h"

namespace planish::ops {

PLANISH_OPERATOR(scale) {
  return experimental("Scale", {"scale"}, [](UpgradeContext& context) {
    ir::Node& node = context.node();
    const ir::ValueId x = context.input(0);
    const ir::ValueId scale = constant_like(context, "scale", take_float(context, "scale", 1), 0);
    node.op = "Mul";
    node.inputs = {x, scale};
  });
}

}  // namespace planish::ops
