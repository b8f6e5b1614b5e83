#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(and) { return comparison("And", 1, type_bit(DType::kBool)); }

}  // namespace planish::ops
