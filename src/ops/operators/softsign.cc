#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(softsign) { return activation("Softsign", 1, kAnyFloat); }

}  // namespace planish::ops
