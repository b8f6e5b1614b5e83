// Shifted by the largest element, so that nothing overflows.
#include "reference/reduce.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_reduce_log_sum_exp(const Call& call) {
  return reduce<kNumber>(call, [](const auto* v, int64_t n) {
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < n; ++i) largest = nan_max(largest, static_cast<double>(v[i]));
    if (!std::isfinite(largest)) return largest;  // nothing, all -inf, or one of +inf and NaN
    double total = 0;
    for (int64_t i = 0; i < n; ++i) total += std::exp(static_cast<double>(v[i]) - largest);
    return largest + std::log(total);
  });
}

}  // namespace

PLANISH_REFERENCE(reduce_log_sum_exp) { return {"", "ReduceLogSumExp", &eval_reduce_log_sum_exp}; }

}  // namespace planish::reference
