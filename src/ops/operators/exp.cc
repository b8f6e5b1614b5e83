#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(exp) { return unary("Exp", 1, kAnyFloat); }

}  // namespace planish::ops
