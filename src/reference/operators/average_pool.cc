// AveragePool. The divisor counts cells on the input, with count_include_pad also those on the
// declared padding; cells past both (a last window made by ceil_mode) never count.
#include <algorithm>

#include "reference/pooling.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

// Taps of output position `at` within input and declared padding.
int64_t padded_taps(const Window& w, std::span<const int64_t> at) {
  int64_t count = 1;
  for (size_t a = 0; a < w.rank(); ++a) {
    const int64_t room = w.input[a] + w.end[a] - w.coordinate(a, at[a], 0);  // cells from tap 0 on
    count *= std::clamp<int64_t>((room + w.dilation[a] - 1) / w.dilation[a], 0, w.kernel[a]);
  }
  return count;
}

std::vector<Value> eval_average_pool(const Call& call) {
  const Tensor& x = call.tensor(0);
  const Pooling p = read_pooling(call, x.dims());
  const bool padding_counts = call.attributes.get_int("count_include_pad", 0) != 0;
  std::vector<double> y = work_buffer(call, x.dtype(), p.output_dims);
  const std::vector<double> values = to_doubles(x);
  const int64_t in = p.window.input_size(), out = p.window.output_size();
  for_windows(call, p.window,
              [&](int64_t o, std::span<const int64_t> at, const std::vector<int64_t>& offsets) {
                const int64_t count = padding_counts ? padded_taps(p.window, at)
                                                     : static_cast<int64_t>(offsets.size());
                for (int64_t plane = 0; plane < p.planes && count > 0; ++plane) {
                  double sum = 0;
                  for (const int64_t offset : offsets)
                    sum += values[static_cast<size_t>(plane * in + offset)];
                  y[static_cast<size_t>(plane * out + o)] = sum / static_cast<double>(count);
                }
              });
  return results(from_doubles(x.dtype(), p.output_dims, y));
}

}  // namespace

PLANISH_REFERENCE(average_pool) { return {"", "AveragePool", &eval_average_pool}; }

}  // namespace planish::reference
