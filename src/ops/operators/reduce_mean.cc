#include "ops/reduction.h"

namespace planish::ops {

PLANISH_OPERATOR(reduce_mean) { return reduction("ReduceMean", kAnyNumeric); }

}  // namespace planish::ops
