// Kernels that move elements of 1, 2, 4, 8 or 16 bytes without looking at them, and indices.
//
// They are bound by memory, so that one portable form serves every instruction set.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/pointwise/broadcast.h"

namespace planish::kernels {

// An n-dimensional copy: dims[i] elements at these strides (in elements, any sign). Serves
// Transpose, Slice, Expand, Split, the interior of Pad and the parts of Concat.
struct CopyArgs {
  int rank = 1;  // 1 .. kMaxRank
  int64_t dims[kMaxRank] = {0};
  int64_t from_strides[kMaxRank] = {0};
  int64_t to_strides[kMaxRank] = {0};
  int element_bytes = 4;
  const void* from = nullptr;
  void* to = nullptr;
};
// Drops dims of 1, merges neighbours that both sides step over alike. Call once the strides are
// set.
void simplify(CopyArgs& args);
Status copy(const CopyArgs* args, int worker, int workers);

// y[i...] = x[i - begin...] where that lies inside x, else *value. Negative begins crop.
struct PadArgs {
  int rank = 1;  // 1 .. kMaxRank
  int64_t in[kMaxRank] = {0};
  int64_t out[kMaxRank] = {0};
  int64_t begin[kMaxRank] = {0};
  int element_bytes = 4;
  const void* value = nullptr;
  const void* x = nullptr;
  void* y = nullptr;
};
Status pad(const PadArgs* args, int worker, int workers);

// y[o, i, :] = x[o, indices[i], :]; negative indices count from the end. kIndexOutOfRange otherwise
// (the rest of y is then unspecified).
struct GatherArgs {
  int64_t outer = 1, axis = 1, inner = 1;  // of x
  int64_t count = 0;                       // indices
  int element_bytes = 4;
  bool wide = true;  // int64 indices, else int32
  const void* x = nullptr;
  const void* indices = nullptr;
  void* y = nullptr;
};
Status gather(const GatherArgs* args, int worker, int workers);

// float32 Resize of the last two dims of [planes, ih, iw], by tables made from sizes and mode:
// output row r reads input rows y0[r] and y1[r] with weights 1 - yw[r] and yw[r]; columns alike.
// Nearest has weight 0 everywhere.
struct ResizeArgs {
  int64_t planes = 1, ih = 1, iw = 1, oh = 1, ow = 1;
  bool linear = false;
  const int64_t* y0 = nullptr;
  const int64_t* y1 = nullptr;
  const float* yw = nullptr;
  const int64_t* x0 = nullptr;
  const int64_t* x1 = nullptr;
  const float* xw = nullptr;
  const float* x = nullptr;
  float* y = nullptr;
};
Status resize_f32(const ResizeArgs* args, int worker, int workers);

}  // namespace planish::kernels
