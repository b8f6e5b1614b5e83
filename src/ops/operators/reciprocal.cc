#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(reciprocal) { return unary("Reciprocal", 1, kAnyFloat); }

}  // namespace planish::ops
