// Scales and zero points: per tensor, per axis, or per block of an axis; and the saturating
// rounding.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/reference.h"

namespace planish::reference {

// Which entry of a scale (or zero-point) tensor belongs to each element of x.
class ScaleMap {
 public:
  // From attributes axis (default 1) and block_size (default 0). Throws kInvalidInput when the
  // scale fits neither as one number, nor as a vector along the axis, nor blockwise.
  ScaleMap(const Call& call, const Dims& x, const Dims& scale);
  int64_t index(int64_t element) const {
    if (single_) return 0;
    const int64_t i = element % inner_, position = element / inner_ % length_;
    if (!blocked_) return position;
    return (element / (inner_ * length_) * blocks_ + position / block_) * inner_ + i;
  }

 private:
  bool single_ = false, blocked_ = false;
  int64_t inner_ = 1, length_ = 1, block_ = 1, blocks_ = 1;
};

// Zero points as integers, zeros when the input is omitted; must have the scale's dims.
std::vector<double> zero_points(const Call& call, size_t input, const Tensor& scale);

// Lowest and highest code of an integer type of at most 16 bits.
struct CodeRange {
  double low, high;
};
CodeRange code_range(DType type);
// Nearest integer, ties to even, brought into the range; a NaN becomes 0.
double saturate(double value, CodeRange range);
// `value` rounded to the nearest of a float type (float16, bfloat16, float32; others: unchanged).
double round_to(DType type, double value);

}  // namespace planish::reference
