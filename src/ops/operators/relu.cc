#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(relu) { return activation("Relu", 1, signed_numbers()); }

}  // namespace planish::ops
