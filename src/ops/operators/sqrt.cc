#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(sqrt) { return unary("Sqrt", 1, kAnyFloat); }

}  // namespace planish::ops
