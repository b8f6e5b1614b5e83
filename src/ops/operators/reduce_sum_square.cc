#include "ops/reduction.h"

namespace planish::ops {

PLANISH_OPERATOR(reduce_sum_square) { return reduction("ReduceSumSquare", kAnyNumeric); }

}  // namespace planish::ops
