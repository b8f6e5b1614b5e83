#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(greater) { return comparison("Greater", 1, kAnyNumeric); }

}  // namespace planish::ops
