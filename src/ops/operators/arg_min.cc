#include "ops/reduction.h"

namespace planish::ops {

PLANISH_OPERATOR(arg_min) { return arg_reduction("ArgMin"); }

}  // namespace planish::ops
