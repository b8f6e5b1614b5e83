#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(ceil) { return unary("Ceil", 1, kAnyFloat); }

}  // namespace planish::ops
