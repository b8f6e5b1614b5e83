#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(greater_or_equal) { return comparison("GreaterOrEqual", 12, kAnyNumeric); }

}  // namespace planish::ops
