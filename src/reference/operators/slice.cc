#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_slice(const Call& call) {
  const Tensor& x = call.tensor(0);
  const std::vector<int64_t> starts = integers(call.tensor(1));
  const std::vector<int64_t> ends = integers(call.tensor(2));
  const size_t count = starts.size();
  std::vector<int64_t> axes, steps(count, 1);
  if (call.has(3))
    axes = integers(call.tensor(3));
  else
    for (size_t i = 0; i < count; ++i) axes.push_back(static_cast<int64_t>(i));
  if (call.has(4)) steps = integers(call.tensor(4));
  if (ends.size() != count || axes.size() != count || steps.size() != count)
    fail(ErrorCode::kInvalidInput,
         "Slice: {} starts, {} ends, {} axes, {} steps must be equally many", count, ends.size(),
         axes.size(), steps.size());
  Dims dims = x.dims();
  Walk from{0, row_major(x.dims())};
  std::vector<bool> seen(dims.size(), false);
  for (size_t i = 0; i < count; ++i) {
    const auto axis = static_cast<size_t>(normal_axis(call, axes[i], x.rank()));
    if (seen[axis]) fail(ErrorCode::kInvalidInput, "Slice: axis {} is listed twice", axes[i]);
    seen[axis] = true;
    const int64_t extent = x.dims()[axis];
    const int64_t step = steps[i];
    if (step == 0) fail(ErrorCode::kInvalidInput, "Slice: a step is 0");
    // Counted from the back where negative, then clamped. Going back, the walk may start at the
    // last element and end one before the first.
    const auto place = [extent](int64_t at, int64_t low, int64_t high) {
      return std::clamp(at < 0 ? at + extent : at, low, std::max(low, high));
    };
    const bool back = step < 0;
    const int64_t start = place(starts[i], 0, back ? extent - 1 : extent);
    const int64_t end = place(ends[i], back ? -1 : 0, back ? extent - 1 : extent);
    const int64_t distance = extent == 0 ? 0 : back ? start - end : end - start;
    int64_t length = 0;
    if (distance > 0) {
      // |step| as unsigned: the least int64_t has no positive twin.
      const auto width = back ? 0 - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
      length = static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / width) + 1;
    }
    dims[axis] = length;
    if (length > 0) from.first += start * from.strides[axis];
    from.strides[axis] = length > 1 ? from.strides[axis] * step : 0;
  }
  return single(take_walk(call, std::move(dims), x, from));
}

}  // namespace

PLANISH_REFERENCE(slice) { return {"", "Slice", &eval_slice}; }

}  // namespace planish::reference
