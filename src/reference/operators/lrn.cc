// LRN: x / (bias + alpha / size * sum of x^2 over the `size` channels around)^beta.
#include <algorithm>
#include <cmath>

#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_lrn(const Call& call) {
  const Tensor& x = call.tensor(0);
  const int64_t size = call.attributes.get_int("size");
  if (x.rank() < 2 || size < 1) {
    fail(ErrorCode::kInvalidInput, "{}: size {} over the channels of [{}]", call.op, size,
         dims_to_string(x.dims()));
  }
  const double alpha = call.attributes.get_float("alpha", 1e-4f),
               beta = call.attributes.get_float("beta", 0.75f);
  const double bias = call.attributes.get_float("bias", 1.0f);
  const int64_t channels = x.dim(1), cells = span_size(x.dims(), 2, x.rank());
  const std::vector<double> values = to_doubles(x);
  std::vector<double> y(values.size());
  call.parallel_for(x.dim(0) * channels, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t c = p % channels, first = std::max<int64_t>(0, c - (size - 1) / 2);
      const int64_t last = size / 2 >= channels - 1 - c ? channels - 1 : c + size / 2;
      for (int64_t i = 0; i < cells; ++i) {
        double squares = 0;
        for (int64_t k = first; k <= last; ++k) {
          const double v = values[static_cast<size_t>((p - c + k) * cells + i)];
          squares += v * v;
        }
        const auto at = static_cast<size_t>(p * cells + i);
        y[at] = values[at] / std::pow(bias + alpha / static_cast<double>(size) * squares, beta);
      }
    }
  });
  return results(from_doubles(x.dtype(), x.dims(), y));
}

}  // namespace

PLANISH_REFERENCE(lrn) { return {"", "LRN", &eval_lrn}; }

}  // namespace planish::reference
