#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(floor) { return unary("Floor", 1, kAnyFloat); }

}  // namespace planish::ops
