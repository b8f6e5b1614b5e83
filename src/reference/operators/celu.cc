#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_celu(const Call& call) {
  const double alpha = call.attributes.get_float("alpha", 1.0f);
  return unary<kFloat>(call, [=](double x) {
    return nan_max(0.0, x) + nan_min(0.0, alpha * std::expm1(x / alpha));
  });
}

}  // namespace

PLANISH_REFERENCE(celu) { return {"", "Celu", &eval_celu}; }

}  // namespace planish::reference
