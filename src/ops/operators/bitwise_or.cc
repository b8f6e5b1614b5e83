#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(bitwise_or) { return binary("BitwiseOr", 18, kAnyInteger); }

}  // namespace planish::ops
