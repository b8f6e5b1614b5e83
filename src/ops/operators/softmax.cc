#include "ops/softmax_family.h"

namespace planish::ops {

PLANISH_OPERATOR(softmax) { return softmax_operator("Softmax"); }

}  // namespace planish::ops
