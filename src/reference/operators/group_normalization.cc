// GroupNormalization: the channels are split into num_groups runs, each normalised on its own;
// scale and bias are per channel.
#include "reference/normalization.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_group_normalization(const Call& call) {
  const Tensor& x = call.tensor(0);
  const int64_t groups = call.attributes.get_int("num_groups");
  if (x.rank() < 2 || groups < 1 || x.dim(1) % groups != 0) {
    fail(ErrorCode::kInvalidInput, "{}: the channels of [{}] do not split into {} groups", call.op,
         dims_to_string(x.dims()), groups);
  }
  const int64_t channels = x.dim(1), cells = span_size(x.dims(), 2, x.rank()),
                run = channels / groups * cells;
  const double epsilon = call.attributes.get_float("epsilon", 1e-5f);
  const std::vector<double> scale = channel_values(call, 1, channels),
                            bias = channel_values(call, 2, channels);
  std::vector<double> y = to_doubles(x);
  call.parallel_for(x.dim(0) * groups, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      standardize(std::span(y).subspan(static_cast<size_t>(g * run), static_cast<size_t>(run)),
                  epsilon);
      for (int64_t i = g * run; i < (g + 1) * run; ++i) {
        const auto c = static_cast<size_t>(i / cells % channels);
        y[static_cast<size_t>(i)] = y[static_cast<size_t>(i)] * scale[c] + bias[c];
      }
    }
  });
  return results(from_doubles(x.dtype(), x.dims(), y));
}

}  // namespace

PLANISH_REFERENCE(group_normalization) {
  return {"", "GroupNormalization", &eval_group_normalization};
}

}  // namespace planish::reference
