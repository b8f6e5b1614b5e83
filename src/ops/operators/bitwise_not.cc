#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(bitwise_not) { return unary("BitwiseNot", 18, kAnyInteger); }

}  // namespace planish::ops
