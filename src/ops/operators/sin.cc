#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(sin) { return unary("Sin", 7, kAnyFloat); }

}  // namespace planish::ops
