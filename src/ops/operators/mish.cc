#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(mish) { return activation("Mish", 18, kAnyFloat); }

}  // namespace planish::ops
