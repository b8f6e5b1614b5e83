#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(cos) { return unary("Cos", 7, kAnyFloat); }

}  // namespace planish::ops
