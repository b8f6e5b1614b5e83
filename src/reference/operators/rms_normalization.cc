// RMSNormalization: x / sqrt(mean of x^2 + epsilon) * scale over the axes from `axis` on; the
// result has the type of scale.
#include <cmath>

#include "reference/normalization.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_rms_normalization(const Call& call) {
  const Tensor& x = call.tensor(0);
  const int64_t axis = normal_axis(call, call.attributes.get_int("axis", -1), x.rank());
  const double epsilon = call.attributes.get_float("epsilon", 1e-5f);
  const int64_t length = span_size(x.dims(), axis, x.rank()), rows = span_size(x.dims(), 0, axis);
  std::vector<double> y = to_doubles(x);
  call.parallel_for(rows, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const auto row =
          std::span(y).subspan(static_cast<size_t>(r * length), static_cast<size_t>(length));
      double squares = 0;
      for (const double v : row) squares += v * v;
      const double root = std::sqrt(squares / static_cast<double>(length) + epsilon);
      for (double& v : row) v /= root;
    }
  });
  constexpr size_t kNoBias = 2;  // there is no such input
  scale_and_shift(call, x, 1, kNoBias, y);
  return results(from_doubles(call.tensor(1).dtype(), x.dims(), y));
}

}  // namespace

PLANISH_REFERENCE(rms_normalization) { return {"", "RMSNormalization", &eval_rms_normalization}; }

}  // namespace planish::reference
