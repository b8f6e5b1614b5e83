#include "ops/softmax_family.h"

namespace planish::ops {

PLANISH_OPERATOR(hardmax) { return softmax_operator("Hardmax"); }

}  // namespace planish::ops
