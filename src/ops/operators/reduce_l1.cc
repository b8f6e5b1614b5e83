#include "ops/reduction.h"

namespace planish::ops {

PLANISH_OPERATOR(reduce_l1) { return reduction("ReduceL1", kAnyNumeric); }

}  // namespace planish::ops
