// Integer means truncate; the mean of nothing is NaN, and undefined for integers.
#include "reference/reduce.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_reduce_mean(const Call& call) {
  return reduce<kNumber>(call, [](const auto* v, int64_t n) {
    using T = Element<decltype(v)>;
    if constexpr (!std::is_same_v<T, double>) {
      if (n == 0) fail(ErrorCode::kData, "ReduceMean: no mean of an empty set of integers");
    }
    T total{};
    for (int64_t i = 0; i < n; ++i) total = wrap_add(total, v[i]);
    return static_cast<T>(total / static_cast<T>(n));
  });
}

}  // namespace

PLANISH_REFERENCE(reduce_mean) { return {"", "ReduceMean", &eval_reduce_mean}; }

}  // namespace planish::reference
