// Cast among float32, int32, int64, uint8, int8 and bool.
//
// Floats turn into integers by truncation towards zero. What does not fit (undefined in ONNX) gives
// the least int64 for int64, else the low bits of the least int32, as x86's conversions do.
// Anything but zero, NaN included, is true. Integers wrap.
#pragma once

#include "base/dtype.h"
#include "kernels/kernel.h"

namespace planish::kernels {

struct CastArgs {
  DType from = DType::kFloat32, to = DType::kFloat32;
  int64_t count = 0;
  const void* x = nullptr;
  void* y = nullptr;
};
bool cast_supported(DType from, DType to);
Status cast(const CastArgs* args, int worker, int workers);

}  // namespace planish::kernels
