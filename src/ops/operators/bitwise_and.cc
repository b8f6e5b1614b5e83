#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(bitwise_and) { return binary("BitwiseAnd", 18, kAnyInteger); }

}  // namespace planish::ops
