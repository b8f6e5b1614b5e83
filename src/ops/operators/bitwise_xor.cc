#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(bitwise_xor) { return binary("BitwiseXor", 18, kAnyInteger); }

}  // namespace planish::ops
