#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(sign) { return unary("Sign", 9, kAnyNumeric); }

}  // namespace planish::ops
