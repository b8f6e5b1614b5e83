// The exponent may be of another type than the base.
#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(pow) {
  OpDef d = binary("Pow", 1, kAnyNumeric);
  d.inputs[1].group = "T1";
  d.epilogue = true;
  return d;
}

}  // namespace planish::ops
