#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(hard_sigmoid) {
  OpDef d = activation("HardSigmoid", 1, kAnyFloat);
  d.attributes = {{"alpha", AttrKind::kFloat}, {"beta", AttrKind::kFloat}};
  return d;
}

}  // namespace planish::ops
