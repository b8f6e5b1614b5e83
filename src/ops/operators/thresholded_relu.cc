#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(thresholded_relu) {
  OpDef d = activation("ThresholdedRelu", 10, kAnyFloat);
  d.attributes = {{"alpha", AttrKind::kFloat}};
  return d;
}

}  // namespace planish::ops
