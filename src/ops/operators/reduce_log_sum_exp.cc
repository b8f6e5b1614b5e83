#include "ops/reduction.h"

namespace planish::ops {

PLANISH_OPERATOR(reduce_log_sum_exp) { return reduction("ReduceLogSumExp", kAnyNumeric); }

}  // namespace planish::ops
