#include "reference/reduce.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_reduce_sum_square(const Call& call) {
  return reduce<kNumber>(call, [](const auto* v, int64_t n) {
    Element<decltype(v)> total{};
    for (int64_t i = 0; i < n; ++i) total = wrap_add(total, wrap_mul(v[i], v[i]));
    return total;
  });
}

}  // namespace

PLANISH_REFERENCE(reduce_sum_square) { return {"", "ReduceSumSquare", &eval_reduce_sum_square}; }

}  // namespace planish::reference
