// The conversion behind Cast and CastLike.
#pragma once

#include "reference/elementwise.h"

namespace planish::reference {

// `x` as `to`, by attributes `saturate` and `round_mode` of the call. Where ONNX leaves the result
// open, this is what x86 processors (and the runtimes people compare with) give: a float that an
// integer type cannot hold becomes the least int32 or int64, of which narrower types keep the low
// bits; so -1.0 is 255 as uint8.
Tensor convert(const Call& call, const Tensor& x, DType to);

}  // namespace planish::reference
