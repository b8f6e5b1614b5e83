#include "ops/reduction.h"

namespace planish::ops {

PLANISH_OPERATOR(arg_max) { return arg_reduction("ArgMax"); }

}  // namespace planish::ops
