// InstanceNormalization: (x - mean) / sqrt(var + epsilon) * scale + bias, mean and population
// variance of each channel of each batch entry.
#include "reference/normalization.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_instance_normalization(const Call& call) {
  const Tensor& x = call.tensor(0);
  if (x.rank() < 3) {
    fail(ErrorCode::kInvalidInput, "{}: the input [{}] must have rank 3 or more", call.op,
         dims_to_string(x.dims()));
  }
  const int64_t channels = x.dim(1), cells = span_size(x.dims(), 2, x.rank());
  const double epsilon = call.attributes.get_float("epsilon", 1e-5f);
  const std::vector<double> scale = channel_values(call, 1, channels),
                            bias = channel_values(call, 2, channels);
  std::vector<double> y = to_doubles(x);
  call.parallel_for(x.dim(0) * channels, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const auto c = static_cast<size_t>(p % channels);
      const auto plane =
          std::span(y).subspan(static_cast<size_t>(p * cells), static_cast<size_t>(cells));
      standardize(plane, epsilon);
      for (double& v : plane) v = v * scale[c] + bias[c];
    }
  });
  return results(from_doubles(x.dtype(), x.dims(), y));
}

}  // namespace

PLANISH_REFERENCE(instance_normalization) {
  return {"", "InstanceNormalization", &eval_instance_normalization};
}

}  // namespace planish::reference
