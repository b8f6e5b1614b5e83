#include "backends/cpu/run/window.h"

#include <algorithm>

namespace planish::backends::cpu {

// Generous, and small enough that products of two stay far from overflow.
constexpr int64_t kFar = (int64_t{1} << 28) - 1;

void check_window(const Checker& c, size_t spatial) {
  c.integers("kernel_shape", spatial, 1, kFar);
  c.integers("strides", spatial, 1, kFar);
  c.integers("dilations", spatial, 1, kFar);
  c.integers("pads", 2 * spatial, -kFar, kFar);
  const std::string auto_pad = c.step().args.get_string("auto_pad", "");
  if (!auto_pad.empty() && auto_pad != "SAME_UPPER" && auto_pad != "SAME_LOWER") {
    c.refuse(fmt::format("unknown auto_pad '{}'", auto_pad));
  }
}

Window make_window(const runtime::StepContext& context,
                   std::span<const int64_t> input,
                   std::span<const int64_t> output,
                   bool ceil_mode) {
  const Attributes& args = context.step().args;
  const Ints& kernel = args.get_ints("kernel_shape");
  const Ints& stride = args.get_ints("strides");
  const Ints& dilation = args.get_ints("dilations");
  const Ints& pads = args.get_ints("pads");
  const std::string auto_pad = args.get_string("auto_pad", "");
  const size_t n = kernel.size();
  require_dims(context, input.size() == n + 2 && output.size() == n + 2,
               "ranks do not fit the window");
  require_dims(context, input[0] == output[0], "input and output differ in batch");
  Window w;
  for (size_t i = 0; i < n; ++i) {
    const size_t to = 2 - n + i;
    const int64_t in = input[2 + i], out = output[2 + i];
    const int64_t extent = (kernel[i] - 1) * dilation[i] + 1;
    require_dims(context, in < (int64_t{1} << 40) && out < (int64_t{1} << 40),
                 "a spatial dim of 2^40 or more");
    int64_t begin = pads[i], end = pads[n + i];
    if (!auto_pad.empty()) {
      require_dims(context, out == (in + stride[i] - 1) / stride[i],
                   "the output's size does not follow from auto_pad");
      const int64_t total = std::max<int64_t>((out - 1) * stride[i] + extent - in, 0);
      begin = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
      end = total - begin;
    } else {
      const int64_t span = in + begin + end - extent;
      // With ceil_mode the last window may hang over, but must start inside the input or its begin.
      const bool fits = span >= 0 ? out == span / stride[i] + 1 ||
                                        (ceil_mode && out == (span + stride[i] - 1) / stride[i] + 1)
                                  : out == 0 || (ceil_mode && out == 1);
      require_dims(context, fits, "the output's size does not follow from the window");
    }
    w.kernel[to] = kernel[i];
    w.stride[to] = stride[i];
    w.dilation[to] = dilation[i];
    w.begin[to] = begin;
    w.end[to] = end;
    w.input[to] = in;
    w.output[to] = out;
  }
  return w;
}

}  // namespace planish::backends::cpu
