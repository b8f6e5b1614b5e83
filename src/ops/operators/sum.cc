#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(sum) { return variadic("Sum", 1, kAnyFloat); }

}  // namespace planish::ops
