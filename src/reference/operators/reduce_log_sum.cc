#include "reference/reduce.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_reduce_log_sum(const Call& call) {
  return reduce<kNumber>(call, [](const auto* v, int64_t n) {
    double total = 0;
    for (int64_t i = 0; i < n; ++i) total += static_cast<double>(v[i]);
    return std::log(total);
  });
}

}  // namespace

PLANISH_REFERENCE(reduce_log_sum) { return {"", "ReduceLogSum", &eval_reduce_log_sum}; }

}  // namespace planish::reference
