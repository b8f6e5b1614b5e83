#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(log) { return unary("Log", 1, kAnyFloat); }

}  // namespace planish::ops
