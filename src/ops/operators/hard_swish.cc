#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(hard_swish) { return activation("HardSwish", 14, kAnyFloat); }

}  // namespace planish::ops
