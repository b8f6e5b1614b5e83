// Upsample of opsets 1 to 9 and Resize of opset 10 as today's Resize.
#pragma once

#include "ops/op.h"

namespace planish::ops {

// The node has inputs (X, scales) with scales a constant or not; opset 1 has height_scale and
// width_scale, opset 7 an attribute `scales` instead.
void upgrade_to_resize(UpgradeContext& context);

}  // namespace planish::ops
