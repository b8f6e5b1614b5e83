#include "reference/reduce.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_reduce_prod(const Call& call) {
  return reduce<kNumber>(call, [](const auto* v, int64_t n) {
    Element<decltype(v)> total{1};
    for (int64_t i = 0; i < n; ++i) total = wrap_mul(total, v[i]);
    return total;
  });
}

}  // namespace

PLANISH_REFERENCE(reduce_prod) { return {"", "ReduceProd", &eval_reduce_prod}; }

}  // namespace planish::reference
