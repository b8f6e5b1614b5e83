// Geometry of a window that slides over the spatial axes: convolutions and pools alike.
//
// Reading the attributes (read_window) is shared with ops/; where the window lands on a concrete
// input (place_window) is derived here, independently of shape inference.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/attribute.h"
#include "base/tensor.h"

namespace planish::reference {

enum class AutoPad : uint8_t { kNotSet, kSameUpper, kSameLower, kValid };

// One entry per spatial axis. Kernel, stride and dilation lie in [1, 2^31), pads in (-2^31, 2^31);
// a negative pad crops the input.
struct WindowAttributes {
  Dims kernel, stride, dilation, begin, end;
  AutoPad auto_pad = AutoPad::kNotSet;  // other than kNotSet: begin and end are zero here
  bool ceil_mode = false;

  size_t rank() const { return kernel.size(); }
  // Input cells from the first tap to the last.
  int64_t extent(size_t axis) const { return (kernel[axis] - 1) * dilation[axis] + 1; }
};

// Reads kernel_shape, strides, dilations, pads, auto_pad and ceil_mode for `rank` spatial axes.
// `weight` holds the spatial dims of a convolution's weight (kernel_shape, when given, must equal
// them); null for pools, which must have kernel_shape. Throws kInvalidModel.
WindowAttributes read_window(const Attributes& attributes, size_t rank, const Dims* weight);

struct Window : WindowAttributes {
  Dims input, output;  // spatial dims

  // Taps [first, last) of output position `o` that lie on the input (not on padding).
  std::pair<int64_t, int64_t> taps(size_t axis, int64_t o) const;
  // Input coordinate of tap t at output position o; may lie on padding.
  int64_t coordinate(size_t axis, int64_t o, int64_t t) const {
    return o * stride[axis] - begin[axis] + t * dilation[axis];
  }
  int64_t input_size() const { return element_count(input); }
  int64_t output_size() const { return element_count(output); }
  int64_t kernel_size() const { return element_count(kernel); }
};

// The window over an input with these spatial dims; resolves auto_pad and rounding. Throws
// kInvalidInput when no window fits.
Window place_window(WindowAttributes attributes, std::span<const int64_t> input);

// Steps `index` through the box `dims` in row-major order; false after the last one.
inline bool next_index(std::span<int64_t> index, std::span<const int64_t> dims) {
  for (size_t axis = index.size(); axis-- > 0;) {
    if (++index[axis] < dims[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

// Writes the row-major multi-index of `linear` within `dims`.
inline void unravel(int64_t linear, std::span<const int64_t> dims, std::span<int64_t> index) {
  for (size_t axis = dims.size(); axis-- > 0;) {
    index[axis] = linear % dims[axis];
    linear /= dims[axis];
  }
}

// Row-major offsets within one input plane of all taps on the input at output position `at`.
void window_offsets(const Window& window,
                    std::span<const int64_t> at,
                    std::vector<int64_t>& offsets);

}  // namespace planish::reference
