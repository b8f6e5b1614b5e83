#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(mean) { return variadic("Mean", 1, kAnyFloat); }

}  // namespace planish::ops
