// Convolution as im2col in blocks: for a block of output positions the taps are gathered into a
// matrix [C/group * kernel, positions], which the weight matrix multiplies. The block bounds memory
// whatever the image's size; blocks are what the workers share.
#include "reference/convolution.h"

#include <algorithm>

#include "base/elements.h"
#include "base/error.h"
#include "reference/product.h"

namespace planish::reference {
namespace {

// Row t, column p: the offset in an input plane that tap t of position first + p reads; -1:
// padding.
void gather_offsets(const Window& w, int64_t first, int64_t count, std::vector<int64_t>& offsets) {
  const int64_t taps = w.kernel_size();
  offsets.resize(static_cast<size_t>(taps * count));
  Dims at(w.rank()), tap(w.rank(), 0);
  int64_t* out = offsets.data();
  for (int64_t t = 0; t < taps; ++t, next_index(tap, w.kernel)) {
    unravel(first, w.output, at);
    for (int64_t p = 0; p < count; ++p, next_index(at, w.output)) {
      int64_t offset = 0;
      for (size_t a = 0; a < w.rank() && offset >= 0; ++a) {
        const int64_t x = w.coordinate(a, at[a], tap[a]);
        offset = x < 0 || x >= w.input[a] ? -1 : offset * w.input[a] + x;
      }
      *out++ = offset;
    }
  }
}

}  // namespace

Convolution read_convolution(const Call& call, const Dims& x, const Dims& w) {
  if (x.size() < 3 || w.size() != x.size()) {
    fail(ErrorCode::kInvalidInput, "{}: input [{}] and weight [{}] must have one rank, 3 or more",
         call.op, dims_to_string(x), dims_to_string(w));
  }
  Convolution c;
  c.groups = call.attributes.get_int("group", 1);
  c.batch = x[0];
  c.inputs = w[1];
  if (c.groups < 1 || w[0] % c.groups != 0) {
    fail(ErrorCode::kInvalidModel, "{}: {} output channels do not split into {} groups", call.op,
         w[0], c.groups);
  }
  if (x[1] % c.groups != 0 || x[1] / c.groups != c.inputs) {
    fail(ErrorCode::kInvalidInput,
         "{}: the input has {} channels; a weight of {} channels in {} groups needs {}", call.op,
         x[1], c.inputs, c.groups, fmt::format("{} * {}", c.inputs, c.groups));
  }
  c.outputs = w[0] / c.groups;
  const Dims kernel(w.begin() + 2, w.end());
  c.window =
      place_window(read_window(call.attributes, kernel.size(), &kernel), std::span(x).subspan(2));
  c.output_dims = {x[0], w[0]};
  c.output_dims.insert(c.output_dims.end(), c.window.output.begin(), c.window.output.end());
  return c;
}

void convolve(const Call& call, const Convolution& c, const double* x, const double* w, double* y) {
  const Window& window = c.window;
  const int64_t taps = window.kernel_size(), depth = c.inputs * taps;
  const int64_t positions = window.output_size(), plane = window.input_size();
  if (depth == 0 || positions == 0) return;
  // A gathered block takes about 2 MB; 128 output channels a task share one gathering.
  const int64_t width = std::clamp<int64_t>((int64_t{1} << 18) / depth, 16, 512);
  constexpr int64_t kHeight = 128;
  const int64_t blocks = (positions + width - 1) / width,
                bands = (c.outputs + kHeight - 1) / kHeight;
  call.parallel_for(c.batch * c.groups * bands * blocks, [&](int64_t begin, int64_t end) {
    std::vector<double> columns(static_cast<size_t>(depth * std::min(width, positions)));
    std::vector<int64_t> offsets;
    int64_t gathered = -1;  // block whose offsets are at hand
    for (int64_t task = begin; task < end; ++task) {
      const int64_t block = task % blocks, band = task / blocks % bands;
      const int64_t image = task / blocks / bands;  // n * groups + g
      const int64_t first = block * width, count = std::min(width, positions - first);
      if (gathered != block) gather_offsets(window, first, count, offsets), gathered = block;
      for (int64_t i = 0; i < c.inputs; ++i) {
        const double* from = x + (image * c.inputs + i) * plane;
        double* to = columns.data() + i * taps * count;
        for (int64_t j = 0; j < taps * count; ++j)
          to[j] = offsets[static_cast<size_t>(j)] < 0 ? 0.0 : from[offsets[static_cast<size_t>(j)]];
      }
      const int64_t channel = band * kHeight, height = std::min(kHeight, c.outputs - channel);
      const int64_t group = image % c.groups;
      add_product(height, count, depth,
                  Matrix<double>{w + (group * c.outputs + channel) * depth, depth, 1},
                  Matrix<double>{columns.data(), count, 1},
                  y + (image * c.outputs + channel) * positions + first, positions);
    }
  });
}

void add_channel_bias(const Call& call,
                      const Tensor& bias,
                      int64_t batch,
                      int64_t channels,
                      int64_t positions,
                      double* y) {
  if (bias.dims() != Dims{channels}) {
    fail(ErrorCode::kInvalidInput, "{}: the bias is [{}], but there are {} output channels",
         call.op, dims_to_string(bias.dims()), channels);
  }
  const std::vector<double> values = to_doubles(bias);
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t m = 0; m < channels; ++m) {
      for (int64_t p = 0; p < positions; ++p) *y++ += values[static_cast<size_t>(m)];
    }
  }
}

}  // namespace planish::reference
