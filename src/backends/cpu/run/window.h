// The window of convolutions and pools over one or two spatial dims, as arguments
//
//   kernel_shape, strides, dilations   ints, one per spatial dim
//   pads                               ints, all begins then all ends
//   auto_pad                           optional "SAME_UPPER" or "SAME_LOWER": pads follow from the
//   sizes
#pragma once

#include "backends/cpu/run/check.h"

namespace planish::backends::cpu {

struct Window {
  // Height then width; a 1-D window has height 1.
  int64_t kernel[2] = {1, 1}, stride[2] = {1, 1}, dilation[2] = {1, 1};
  int64_t begin[2] = {0, 0}, end[2] = {0, 0};
  int64_t input[2] = {1, 1}, output[2] = {1, 1};
};

void check_window(const Checker& checker, size_t spatial);

// For an input [N, C, spatial...] and its output. Refuses an output whose size does not follow from
// the window (with `ceil_mode` the last window may hang over).
Window make_window(const runtime::StepContext& context,
                   std::span<const int64_t> input,
                   std::span<const int64_t> output,
                   bool ceil_mode = false);

}  // namespace planish::backends::cpu
