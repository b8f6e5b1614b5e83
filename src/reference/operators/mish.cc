#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_mish(const Call& call) {
  return unary<kFloat>(call, [](double x) {
    if (std::isinf(x)) return x > 0 ? x : -0.0;
    return x * std::tanh(std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))));
  });
}

}  // namespace

PLANISH_REFERENCE(mish) { return {"", "Mish", &eval_mish}; }

}  // namespace planish::reference
