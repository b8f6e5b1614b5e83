#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(less) { return comparison("Less", 1, kAnyNumeric); }

}  // namespace planish::ops
