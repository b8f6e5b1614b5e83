// ParametricSoftplus: alpha * ln(1 + exp(beta * x)), until opset 10; on import it becomes that.
#include "ops/experimental.h"

namespace planish::ops {

PLANISH_OPERATOR(parametric_softplus) {
  return experimental("ParametricSoftplus", {"alpha", "beta"},
                      [](UpgradeContext& context) { scaled_function(context, "Softplus"); });
}

}  // namespace planish::ops
