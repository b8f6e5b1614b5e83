#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(celu) {
  OpDef d = activation("Celu", 12, kAnyFloat);
  d.attributes = {{"alpha", AttrKind::kFloat}};
  return d;
}

}  // namespace planish::ops
