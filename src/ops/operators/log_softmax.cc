#include "ops/softmax_family.h"

namespace planish::ops {

PLANISH_OPERATOR(log_softmax) { return softmax_operator("LogSoftmax"); }

}  // namespace planish::ops
