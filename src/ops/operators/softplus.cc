#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(softplus) { return activation("Softplus", 1, kAnyFloat); }

}  // namespace planish::ops
