// A NaN anywhere is the result. Over nothing: the highest value of the type.
#include "reference/reduce.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_reduce_min(const Call& call) {
  const DType type = call.tensor(0).dtype();
  return reduce<kNumber>(call, [type](const auto* v, int64_t n) {
    auto best = highest_of<Element<decltype(v)>>(type);
    for (int64_t i = 0; i < n; ++i) best = nan_min(best, v[i]);
    return best;
  });
}

}  // namespace

PLANISH_REFERENCE(reduce_min) { return {"", "ReduceMin", &eval_reduce_min}; }

}  // namespace planish::reference
