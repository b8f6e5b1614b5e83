#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(erf) { return activation("Erf", 9, kAnyFloat); }

}  // namespace planish::ops
