#include "ops/reduction.h"

namespace planish::ops {

PLANISH_OPERATOR(reduce_log_sum) { return reduction("ReduceLogSum", kAnyNumeric); }

}  // namespace planish::ops
