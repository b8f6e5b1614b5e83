#include "ops/movement.h"

namespace planish::ops {

PLANISH_OPERATOR(cum_sum) {
  OpDef d = unary("CumSum", 11, kAnyNumeric);
  d.inputs.push_back(index_input("axis"));
  d.attributes = {{"exclusive", AttrKind::kInt}, {"reverse", AttrKind::kInt}};
  return d;
}

}  // namespace planish::ops
