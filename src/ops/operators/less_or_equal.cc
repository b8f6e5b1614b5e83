#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(less_or_equal) { return comparison("LessOrEqual", 12, kAnyNumeric); }

}  // namespace planish::ops
