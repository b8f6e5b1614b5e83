#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_clip(const Call& call) {
  // The lower bound first: with min > max every element becomes max.
  const Tensor& x = call.tensor(0);
  for (const size_t bound : {size_t{1}, size_t{2}}) {
    if (!call.has(bound)) continue;
    same_type(call, x, call.tensor(bound));
    if (call.tensor(bound).size() != 1)
      fail(ErrorCode::kInvalidInput, "Clip: {} must be a scalar, not {}",
           bound == 1 ? "min" : "max", dims_to_string(call.tensor(bound).dims()));
  }
  return with_number<kNumber>(call, x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T low{}, high{};
    const bool has_low = call.has(1), has_high = call.has(2);
    if (has_low) load(call.tensor(1), 0, 1, 1, &low);
    if (has_high) load(call.tensor(2), 0, 1, 1, &high);
    return single(map<T>(call, x, x.dtype(), [=](T v) {
      if (has_low) v = nan_max(v, low);
      return has_high ? nan_min(v, high) : v;
    }));
  });
}

}  // namespace

PLANISH_REFERENCE(clip) { return {"", "Clip", &eval_clip}; }

}  // namespace planish::reference
