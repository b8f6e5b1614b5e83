#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(not) { return unary("Not", 1, type_bit(DType::kBool)); }

}  // namespace planish::ops
