#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(elu) {
  OpDef d = activation("Elu", 1, kAnyFloat);
  d.attributes = {{"alpha", AttrKind::kFloat}};
  return d;
}

}  // namespace planish::ops
