#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(xor) { return comparison("Xor", 1, type_bit(DType::kBool)); }

}  // namespace planish::ops
