// Attributes of a sliding window (convolutions and pools) as the arguments of a step.
#pragma once

#include "backends/cpu/compile/facts.h"

namespace planish::backends::cpu {

struct WindowSpec {
  Ints kernel, strides, dilations, pads;
  std::string auto_pad;  // "", "SAME_UPPER" or "SAME_LOWER"
  int64_t kernel_size() const {
    int64_t size = 1;
    for (const int64_t k : kernel) size *= k;
    return size;
  }
};

// `kernel`: the spatial dims of the weights, or the attribute kernel_shape of a pool.
inline WindowSpec read_window(const Facts& facts, Ints kernel) {
  WindowSpec w;
  const size_t n = kernel.size();
  w.kernel = std::move(kernel);
  w.strides = facts.attributes().get_ints("strides");
  w.dilations = facts.attributes().get_ints("dilations");
  w.pads = facts.attributes().get_ints("pads");
  if (w.strides.empty()) w.strides.assign(n, 1);
  if (w.dilations.empty()) w.dilations.assign(n, 1);
  w.auto_pad = facts.attributes().get_string("auto_pad", "NOTSET");
  if (w.auto_pad != "NOTSET" || w.pads.empty()) w.pads.assign(2 * n, 0);
  if (w.auto_pad == "NOTSET" || w.auto_pad == "VALID") w.auto_pad.clear();
  return w;
}

// Null, or why the steps would refuse the window.
inline const char* window_problem(const WindowSpec& w) {
  constexpr int64_t kFar = int64_t{1} << 24;
  const size_t n = w.kernel.size();
  if (w.strides.size() != n || w.dilations.size() != n || w.pads.size() != 2 * n)
    return "attributes of another rank";
  for (size_t i = 0; i < n; ++i) {
    if (w.kernel[i] < 1 || w.kernel[i] >= kFar || w.strides[i] < 1 || w.strides[i] >= kFar ||
        w.dilations[i] < 1 || w.dilations[i] >= kFar || w.kernel[i] * w.dilations[i] >= kFar) {
      return "a window, stride or dilation of 2^24 or more";
    }
  }
  for (const int64_t p : w.pads) {
    if (p <= -kFar || p >= kFar) return "padding of 2^24 or more";
  }
  return nullptr;
}

inline void set_window(plan::Step& step, const WindowSpec& w) {
  step.args.set("kernel_shape", w.kernel);
  step.args.set("strides", w.strides);
  step.args.set("dilations", w.dilations);
  step.args.set("pads", w.pads);
  if (!w.auto_pad.empty()) step.args.set("auto_pad", w.auto_pad);
}

}  // namespace planish::backends::cpu
