#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(or) { return comparison("Or", 1, type_bit(DType::kBool)); }

}  // namespace planish::ops
