// Cast among float32, int32, int64, uint8, int8 and bool.
//
// Floats turn into integers by truncation towards zero. Values outside the integer type's range
// (undefined in ONNX) wrap modulo 2^bits as far as int64 reaches; NaN and what lies beyond int64 give
// INT64_MIN's low bits. Anything but zero, NaN included, is true.
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
