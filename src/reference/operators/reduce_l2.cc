// Integers too: the root of their sum of squares, truncated.
#include "reference/reduce.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_reduce_l2(const Call& call) {
  return reduce<kNumber>(call, [](const auto* v, int64_t n) {
    double total = 0;
    for (int64_t i = 0; i < n; ++i) {
      const auto x = static_cast<double>(v[i]);
      total += x * x;
    }
    return static_cast<Element<decltype(v)>>(std::sqrt(total));
  });
}

}  // namespace

PLANISH_REFERENCE(reduce_l2) { return {"", "ReduceL2", &eval_reduce_l2}; }

}  // namespace planish::reference
