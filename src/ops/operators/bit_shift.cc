#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(bit_shift) {
  OpDef d = binary("BitShift", 11, kAnyInteger);
  d.attributes = {{"direction", AttrKind::kString, true}};
  return d;
}

}  // namespace planish::ops
