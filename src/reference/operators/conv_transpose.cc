// ConvTranspose: every input cell adds its weight patch to the output,
// y[n, m, i * stride - pad + t * dilation] += x[n, c, i] * w[c, m, t].
// As a product: W^T [outputs * kernel, inputs] times X [inputs, positions], scattered (col2im).
#include <algorithm>

#include "reference/convolution.h"
#include "reference/product.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

// Output dims, and the pads that auto_pad or output_shape imply. `w.output` is the large side.
Window place_transposed(const Call& call,
                        WindowAttributes attributes,
                        std::span<const int64_t> input) {
  Window w;
  static_cast<WindowAttributes&>(w) = std::move(attributes);
  w.input.assign(input.begin(), input.end());
  w.output.resize(w.rank());
  Ints shape = call.attributes.get_ints("output_shape");
  if (shape.size() == w.rank() + 2) shape.erase(shape.begin(), shape.begin() + 2);  // with N and C
  if (!shape.empty() && shape.size() != w.rank()) {
    fail(ErrorCode::kInvalidModel, "{}: output_shape has {} entries for {} spatial axes", call.op,
         shape.size(), w.rank());
  }
  const Ints& extra = call.attributes.get_ints("output_padding");
  if (!extra.empty() && extra.size() != w.rank()) {
    fail(ErrorCode::kInvalidModel, "{}: output_padding has {} entries for {} spatial axes", call.op,
         extra.size(), w.rank());
  }
  const bool upper = w.auto_pad == AutoPad::kSameUpper,
             same = upper || w.auto_pad == AutoPad::kSameLower;
  for (size_t a = 0; a < w.rank(); ++a) {
    const int64_t adjust = extra.empty() ? 0 : extra[a];
    if (adjust < 0 || adjust >= std::max(w.stride[a], w.dilation[a])) {
      fail(ErrorCode::kInvalidModel,
           "{}: output_padding {} must be at least 0 and less than stride {} or dilation {}",
           call.op, adjust, w.stride[a], w.dilation[a]);
    }
    if (w.input[a] < 1 || w.input[a] >= (int64_t{1} << 31)) {
      fail(ErrorCode::kInvalidInput, "{}: spatial axis {} has size {}; it must be positive",
           call.op, a, w.input[a]);
    }
    const int64_t full = w.stride[a] * (w.input[a] - 1) + adjust + w.extent(a);
    if (!shape.empty() || same) {
      w.output[a] = shape.empty() ? w.input[a] * w.stride[a] : shape[a];
      const int64_t total = std::max<int64_t>(0, full - w.output[a]);
      w.begin[a] = upper ? total / 2 : total - total / 2;
      w.end[a] = total - w.begin[a];
    } else {
      w.output[a] = full - w.begin[a] - w.end[a];
    }
    if (w.output[a] < 1) {
      fail(ErrorCode::kInvalidInput, "{}: spatial axis {} of the output would have size {}",
           call.op, a, w.output[a]);
    }
  }
  return w;
}

// Adds columns [channels, kernel, count] at input positions first.. to the output planes.
void scatter(const Window& w,
             int64_t first,
             int64_t count,
             int64_t channels,
             const double* columns,
             double* y) {
  const int64_t taps = w.kernel_size(), plane = w.output_size();
  std::vector<int64_t> offsets(static_cast<size_t>(taps * count));
  Dims at(w.rank()), tap(w.rank(), 0);
  int64_t* next = offsets.data();
  for (int64_t t = 0; t < taps; ++t, next_index(tap, w.kernel)) {
    unravel(first, w.input, at);
    for (int64_t p = 0; p < count; ++p, next_index(at, w.input)) {
      int64_t offset = 0;
      for (size_t a = 0; a < w.rank() && offset >= 0; ++a) {
        const int64_t to = w.coordinate(a, at[a], tap[a]);
        offset = to < 0 || to >= w.output[a] ? -1 : offset * w.output[a] + to;
      }
      *next++ = offset;
    }
  }
  for (int64_t m = 0; m < channels; ++m, y += plane) {
    for (const int64_t offset : offsets) {
      if (offset >= 0) y[offset] += *columns;
      ++columns;
    }
  }
}

std::vector<Value> eval_conv_transpose(const Call& call) {
  const Tensor &x = call.tensor(0), &w = call.tensor(1);
  const int64_t groups = call.attributes.get_int("group", 1);
  if (x.rank() < 3 || w.rank() != x.rank()) {
    fail(ErrorCode::kInvalidInput, "{}: input [{}] and weight [{}] must have one rank, 3 or more",
         call.op, dims_to_string(x.dims()), dims_to_string(w.dims()));
  }
  if (x.dim(1) != w.dim(0) || groups < 1 || w.dim(0) % groups != 0) {
    fail(ErrorCode::kInvalidInput,
         "{}: input channels {} and weight channels {} must be equal and split into {} groups",
         call.op, x.dim(1), w.dim(0), groups);
  }
  const Dims kernel(w.dims().begin() + 2, w.dims().end());
  const Window window = place_transposed(call, read_window(call.attributes, kernel.size(), &kernel),
                                         std::span(x.dims()).subspan(2));
  const int64_t inputs = w.dim(0) / groups, outputs = w.dim(1), taps = window.kernel_size();
  const int64_t positions = window.input_size(), plane = window.output_size();
  Dims dims = {x.dim(0), outputs * groups};
  dims.insert(dims.end(), window.output.begin(), window.output.end());
  std::vector<double> y = work_buffer(call, x.dtype(), dims);
  const std::vector<double> xs = to_doubles(x), ws = to_doubles(w);

  // One task owns a band of output channels of one image: no two tasks add to one cell.
  const int64_t width = std::min<int64_t>(positions, 256);
  const int64_t height = std::clamp<int64_t>((int64_t{1} << 18) / (taps * width), 1, 32);
  const int64_t bands = (outputs + height - 1) / height;
  call.parallel_for(x.dim(0) * groups * bands, [&](int64_t begin, int64_t end) {
    std::vector<double> columns;
    for (int64_t task = begin; task < end; ++task) {
      const int64_t image = task / bands, group = image % groups;
      const int64_t channel = task % bands * height, count = std::min(height, outputs - channel);
      for (int64_t first = 0; first < positions; first += width) {
        const int64_t n = std::min(width, positions - first);
        columns.assign(static_cast<size_t>(count * taps * n), 0.0);
        add_product(count * taps, n, inputs,
                    Matrix<double>{ws.data() + (group * inputs * outputs + channel) * taps, 1,
                                   outputs * taps},
                    Matrix<double>{xs.data() + image * inputs * positions + first, positions, 1},
                    columns.data(), n);
        scatter(window, first, n, count, columns.data(),
                y.data() + (image * outputs + channel) * plane);
      }
    }
  });
  if (call.has(2))
    add_channel_bias(call, call.tensor(2), x.dim(0), outputs * groups, plane, y.data());
  return results(from_doubles(x.dtype(), dims, y));
}

}  // namespace

PLANISH_REFERENCE(conv_transpose) { return {"", "ConvTranspose", &eval_conv_transpose}; }

}  // namespace planish::reference
