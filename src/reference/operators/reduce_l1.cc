#include "reference/reduce.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_reduce_l1(const Call& call) {
  return reduce<kNumber>(call, [](const auto* v, int64_t n) {
    using T = Element<decltype(v)>;
    T total{};
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_same_v<T, double>)
        total += std::fabs(v[i]);
      else
        total = v[i] < T{0} ? wrap_sub(total, v[i]) : wrap_add(total, v[i]);
    }
    return total;
  });
}

}  // namespace

PLANISH_REFERENCE(reduce_l1) { return {"", "ReduceL1", &eval_reduce_l1}; }

}  // namespace planish::reference
