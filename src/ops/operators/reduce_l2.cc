#include "ops/reduction.h"

namespace planish::ops {

PLANISH_OPERATOR(reduce_l2) { return reduction("ReduceL2", kAnyNumeric); }

}  // namespace planish::ops
