#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(gelu) {
  OpDef d = activation("Gelu", 20, kAnyFloat);
  d.attributes = {{"approximate", AttrKind::kString}};
  return d;
}

}  // namespace planish::ops
