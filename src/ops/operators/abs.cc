#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(abs) { return activation("Abs", 1, kAnyNumeric); }

}  // namespace planish::ops
