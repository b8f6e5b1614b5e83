#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(leaky_relu) {
  OpDef d = activation("LeakyRelu", 1, kAnyFloat);
  d.attributes = {{"alpha", AttrKind::kFloat}};
  return d;
}

}  // namespace planish::ops
