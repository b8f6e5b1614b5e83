#include "reference/normalization.h"

#include <cmath>

#include "reference/broadcast.h"
#include "reference/work.h"

namespace planish::reference {

std::vector<double> channel_values(const Call& call, size_t input, int64_t channels) {
  const Tensor& t = call.tensor(input);
  if (t.dims() != Dims{channels}) {
    fail(ErrorCode::kInvalidInput, "{}: input {} is [{}], but there are {} channels", call.op,
         input, dims_to_string(t.dims()), channels);
  }
  return to_doubles(t);
}

Moments moments(std::span<const double> values, double epsilon) {
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  const double mean = sum / count;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {mean, 1 / std::sqrt(squares / count + epsilon)};
}

Moments standardize(std::span<double> values, double epsilon) {
  const Moments m = moments(values, epsilon);
  for (double& v : values) v = (v - m.mean) * m.inverse_deviation;
  return m;
}

void scale_and_shift(
    const Call& call, const Tensor& x, size_t scale, size_t bias, std::vector<double>& y) {
  for (const size_t input : {scale, bias}) {
    if (!call.has(input)) continue;
    const Broadcast both(call, {&x, &call.tensor(input)});
    if (both.dims() != x.dims()) {
      fail(ErrorCode::kInvalidInput, "{}: input {} [{}] does not broadcast to [{}]", call.op, input,
           dims_to_string(call.tensor(input).dims()), dims_to_string(x.dims()));
    }
    for_blocks(call, both.size(), [&](int64_t first, int64_t count) {
      double factor[kBlock];
      both.load_block(1, first, count, factor);
      for (int64_t i = 0; i < count; ++i) {
        double& v = y[static_cast<size_t>(first + i)];
        v = input == scale ? v * factor[i] : v + factor[i];
      }
    });
  }
}

}  // namespace planish::reference
