// ReverseSequence: reverses the first sequence_lens[b] entries along time_axis for each b of
// batch_axis.
#include "reference/movement.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_reverse_sequence(const Call& call) {
  const Tensor &x = call.tensor(0), &lens = call.tensor(1);
  const int64_t time = normal_axis(call, call.attributes.get_int("time_axis", 0), x.rank());
  const int64_t batch = normal_axis(call, call.attributes.get_int("batch_axis", 1), x.rank());
  if (x.rank() < 2 || time == batch || lens.dims() != Dims{x.dim(static_cast<int>(batch))}) {
    fail(ErrorCode::kInvalidInput, "{}: axes {} and {} of [{}] with lengths [{}]", call.op, time,
         batch, dims_to_string(x.dims()), dims_to_string(lens.dims()));
  }
  const int64_t steps = x.dim(static_cast<int>(time));
  const std::vector<int64_t> lengths = to_ints(lens);
  for (const int64_t n : lengths) {
    if (n < 0 || n > steps)
      fail(ErrorCode::kData, "{}: a length is {}, outside [0, {}]", call.op, n, steps);
  }
  Tensor y = call.make(x.dtype(), x.dims());
  const std::vector<int64_t> strides = row_major(x.dims());
  const int64_t step = strides[static_cast<size_t>(time)],
                row = strides[static_cast<size_t>(batch)];
  with_mover(y, x, [&](auto move) {
    for (int64_t i = 0; i < x.size(); ++i) {
      const int64_t t = i / step % steps,
                    n = lengths[static_cast<size_t>(i / row % x.dim(static_cast<int>(batch)))];
      move(i, t < n ? i + (n - 1 - 2 * t) * step : i);
    }
  });
  return results(std::move(y));
}

}  // namespace

PLANISH_REFERENCE(reverse_sequence) { return {"", "ReverseSequence", &eval_reverse_sequence}; }

}  // namespace planish::reference
