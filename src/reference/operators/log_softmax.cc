// LogSoftmax: x - log(sum of exp(x)) along `axis`, shifted by the maximum.
#include <algorithm>
#include <cmath>

#include "reference/lines.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_log_softmax(const Call& call) {
  return map_lines(call, [](double* line, int64_t n) {
    const double top = *std::max_element(line, line + n);
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += std::exp(line[i] - top);
    const double log_sum = std::log(sum);
    for (int64_t i = 0; i < n; ++i) line[i] = line[i] - top - log_sum;
  });
}

}  // namespace

PLANISH_REFERENCE(log_softmax) { return {"", "LogSoftmax", &eval_log_softmax}; }

}  // namespace planish::reference
