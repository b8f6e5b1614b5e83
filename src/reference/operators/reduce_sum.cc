#include "reference/reduce.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_reduce_sum(const Call& call) {
  return reduce<kNumber>(call, [](const auto* v, int64_t n) {
    Element<decltype(v)> total{};
    for (int64_t i = 0; i < n; ++i) total = wrap_add(total, v[i]);
    return total;
  });
}

}  // namespace

PLANISH_REFERENCE(reduce_sum) { return {"", "ReduceSum", &eval_reduce_sum}; }

}  // namespace planish::reference
