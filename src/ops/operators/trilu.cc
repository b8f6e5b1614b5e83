#include "ops/movement.h"

namespace planish::ops {

PLANISH_OPERATOR(trilu) {
  OpDef d = mover("Trilu", 14);
  d.inputs.push_back(int64_input("k", Arity::kOptional));
  d.attributes = {{"upper", AttrKind::kInt}};
  d.infer = &infer_same;
  return d;
}

}  // namespace planish::ops
