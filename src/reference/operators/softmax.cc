// Softmax: exp(x) / sum of exp(x) along `axis`, shifted by the maximum so that nothing overflows.
#include <algorithm>
#include <cmath>

#include "reference/lines.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_softmax(const Call& call) {
  return map_lines(call, [](double* line, int64_t n) {
    const double top = *std::max_element(line, line + n);
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += line[i] = std::exp(line[i] - top);
    for (int64_t i = 0; i < n; ++i) line[i] /= sum;
  });
}

}  // namespace

PLANISH_REFERENCE(softmax) { return {"", "Softmax", &eval_softmax}; }

}  // namespace planish::reference
