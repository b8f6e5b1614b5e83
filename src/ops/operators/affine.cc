// Affine: alpha * x + beta, until opset 10; on import it becomes that.
#include "ops/elementwise.h"
#include "ops/experimental.h"

namespace planish::ops {

PLANISH_OPERATOR(affine) {
  return experimental("Affine", {"alpha", "beta"}, [](UpgradeContext& context) {
    ir::Node& node = context.node();
    const ir::ValueId x = context.input(0);
    const ir::ValueId alpha = constant_like(context, "alpha", take_float(context, "alpha", 1), 0);
    const ir::ValueId beta = constant_like(context, "beta", take_float(context, "beta", 0), 0);
    const ir::ValueId scaled = context.emit("Mul", {x, alpha});
    node.op = "Add";
    node.inputs = {scaled, beta};
  });
}

}  // namespace planish::ops
