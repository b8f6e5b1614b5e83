#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(sigmoid) { return activation("Sigmoid", 1, kAnyFloat); }

}  // namespace planish::ops
