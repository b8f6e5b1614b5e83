// ScaledTanh: alpha * tanh(beta * x), until opset 10; on import it becomes that.
#include "ops/experimental.h"

namespace planish::ops {

PLANISH_OPERATOR(scaled_tanh) {
  return experimental("ScaledTanh", {"alpha", "beta"},
                      [](UpgradeContext& context) { scaled_function(context, "Tanh"); });
}

}  // namespace planish::ops
