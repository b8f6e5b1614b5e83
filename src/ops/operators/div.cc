#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(div) {
  OpDef d = binary("Div", 1, kAnyNumeric);
  d.infer = &infer_arithmetic<&truncating_div>;
  d.epilogue = true;
  return d;
}

}  // namespace planish::ops
