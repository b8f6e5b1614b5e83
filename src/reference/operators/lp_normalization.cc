// LpNormalization: x divided by the 1- or 2-norm of its line along `axis`; a line of zeros stays.
#include <cmath>

#include "reference/lines.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_lp_normalization(const Call& call) {
  const int64_t p = call.attributes.get_int("p", 2);
  if (p != 1 && p != 2)
    fail(ErrorCode::kInvalidModel, "{}: p is {}; it must be 1 or 2", call.op, p);
  return map_lines(call, [p](double* line, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += p == 1 ? std::abs(line[i]) : line[i] * line[i];
    const double norm = p == 1 ? sum : std::sqrt(sum);
    for (int64_t i = 0; i < n && norm != 0; ++i) line[i] /= norm;
  });
}

}  // namespace

PLANISH_REFERENCE(lp_normalization) { return {"", "LpNormalization", &eval_lp_normalization}; }

}  // namespace planish::reference
