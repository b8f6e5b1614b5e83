#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(round) { return unary("Round", 11, kAnyFloat); }

}  // namespace planish::ops
