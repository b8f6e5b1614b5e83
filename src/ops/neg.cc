#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(neg) { return activation("Neg", 1, signed_numbers()); }

}  // namespace planish::ops
