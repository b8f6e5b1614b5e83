#include "reference/window.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace planish::reference {
namespace {

constexpr int64_t kLimit = int64_t{1} << 31;  // products of two bounded numbers stay within 64 bits

Dims read_list(const Attributes& attributes,
               std::string_view name,
               size_t rank,
               int64_t lowest,
               int64_t fallback) {
  const Ints& given = attributes.get_ints(name);
  if (given.empty()) return Dims(rank, fallback);
  if (given.size() != rank) {
    fail(ErrorCode::kInvalidModel, "{} has {} entries, but there are {} spatial axes", name,
         given.size(), rank);
  }
  for (const int64_t v : given) {
    if (v < lowest || v >= kLimit) {
      fail(ErrorCode::kInvalidModel, "{} holds {}, which is outside [{}, {})", name, v, lowest,
           kLimit);
    }
  }
  return given;
}

AutoPad read_auto_pad(const Attributes& attributes) {
  const std::string mode = attributes.get_string("auto_pad", "NOTSET");
  if (mode.empty() || mode == "NOTSET") return AutoPad::kNotSet;
  if (mode == "SAME_UPPER") return AutoPad::kSameUpper;
  if (mode == "SAME_LOWER") return AutoPad::kSameLower;
  if (mode == "VALID") return AutoPad::kValid;
  fail(ErrorCode::kInvalidModel,
       "auto_pad is '{}'; legal are NOTSET, SAME_UPPER, SAME_LOWER, VALID", mode);
}

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
int64_t ceil_div(int64_t a, int64_t b) { return -floor_div(-a, b); }

}  // namespace

WindowAttributes read_window(const Attributes& attributes, size_t rank, const Dims* weight) {
  WindowAttributes w;
  if (weight) {
    w.kernel = *weight;
    const Ints& given = attributes.get_ints("kernel_shape");
    if (!given.empty() && given != w.kernel) {
      fail(ErrorCode::kInvalidModel, "kernel_shape is {}, but the weight's spatial dims are {}",
           dims_to_string(given), dims_to_string(w.kernel));
    }
    for (const int64_t k : w.kernel) {
      if (k < 1 || k >= kLimit)
        fail(ErrorCode::kInvalidModel, "a weight's spatial dim is {}; it must be positive", k);
    }
  } else {
    if (attributes.get_ints("kernel_shape").empty() && rank > 0) {
      fail(ErrorCode::kInvalidModel, "the attribute kernel_shape is missing");
    }
    w.kernel = read_list(attributes, "kernel_shape", rank, 1, 1);
  }
  w.stride = read_list(attributes, "strides", rank, 1, 1);
  w.dilation = read_list(attributes, "dilations", rank, 1, 1);
  w.auto_pad = read_auto_pad(attributes);
  w.begin.assign(rank, 0);
  w.end.assign(rank, 0);
  if (w.auto_pad == AutoPad::kNotSet) {
    const Ints& pads = attributes.get_ints("pads");
    if (!pads.empty() && pads.size() != 2 * rank) {
      fail(ErrorCode::kInvalidModel, "pads has {} entries, but {} spatial axes need {}",
           pads.size(), rank, 2 * rank);
    }
    for (size_t i = 0; i < pads.size(); ++i) {
      if (pads[i] <= -kLimit || pads[i] >= kLimit) {
        fail(ErrorCode::kInvalidModel, "pads holds {}, which is outside (-{}, {})", pads[i], kLimit,
             kLimit);
      }
      (i < rank ? w.begin[i] : w.end[i - rank]) = pads[i];
    }
  }
  w.ceil_mode = attributes.get_int("ceil_mode", 0) != 0;
  return w;
}

std::pair<int64_t, int64_t> Window::taps(size_t axis, int64_t o) const {
  const int64_t start = o * stride[axis] - begin[axis];
  const int64_t first = std::max<int64_t>(0, ceil_div(-start, dilation[axis]));
  const int64_t last = std::min(kernel[axis], ceil_div(input[axis] - start, dilation[axis]));
  return {first, std::max(first, last)};
}

Window place_window(WindowAttributes attributes, std::span<const int64_t> input) {
  Window w;
  static_cast<WindowAttributes&>(w) = std::move(attributes);
  w.input.assign(input.begin(), input.end());
  w.output.resize(w.rank());
  for (size_t a = 0; a < w.rank(); ++a) {
    const int64_t in = w.input[a], stride = w.stride[a], extent = w.extent(a);
    if (w.auto_pad == AutoPad::kSameUpper || w.auto_pad == AutoPad::kSameLower) {
      w.output[a] = ceil_div(in, stride);
      const int64_t total = std::max<int64_t>(0, (w.output[a] - 1) * stride + extent - in);
      const int64_t small = total / 2;
      w.begin[a] = w.auto_pad == AutoPad::kSameUpper ? small : total - small;
      w.end[a] = total - w.begin[a];
      continue;
    }
    const int64_t room = in + w.begin[a] + w.end[a] - extent;
    if (room < 0) {
      fail(ErrorCode::kInvalidInput,
           "a window of {} cells (kernel {}, dilation {}) does not fit into spatial axis {}: size "
           "{}, pads {} and {}",
           extent, w.kernel[a], w.dilation[a], a, in, w.begin[a], w.end[a]);
    }
    const bool up = w.ceil_mode && w.auto_pad == AutoPad::kNotSet;
    w.output[a] = (up ? ceil_div(room, stride) : room / stride) + 1;
    // A window that starts in the padding at the end is left out.
    if (up) w.output[a] = std::min(w.output[a], ceil_div(in + w.begin[a], stride));
  }
  return w;
}

void window_offsets(const Window& window,
                    std::span<const int64_t> at,
                    std::vector<int64_t>& offsets) {
  offsets.assign(1, 0);
  std::vector<int64_t> next;
  for (size_t a = 0; a < window.rank(); ++a) {
    const auto [first, last] = window.taps(a, at[a]);
    next.clear();
    for (const int64_t base : offsets) {
      for (int64_t t = first; t < last; ++t)
        next.push_back(base * window.input[a] + window.coordinate(a, at[a], t));
    }
    offsets.swap(next);
  }
}

}  // namespace planish::reference
