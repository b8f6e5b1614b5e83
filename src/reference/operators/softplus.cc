#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_softplus(const Call& call) {
  // log(1 + e^x) without overflow: the larger of x and 0, plus a correction.
  return unary<kFloat>(
      call, [](double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); });
}

}  // namespace

PLANISH_REFERENCE(softplus) { return {"", "Softplus", &eval_softplus}; }

}  // namespace planish::reference
