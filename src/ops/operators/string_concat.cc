#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(string_concat) { return binary("StringConcat", 20, type_bit(DType::kString)); }

}  // namespace planish::ops
