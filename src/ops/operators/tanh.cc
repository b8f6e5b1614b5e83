#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(tanh) { return activation("Tanh", 1, kAnyFloat); }

}  // namespace planish::ops
