#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_hard_sigmoid(const Call& call) {
  const double alpha = call.attributes.get_float("alpha", 0.2f);
  const double beta = call.attributes.get_float("beta", 0.5f);
  return unary<kFloat>(call,
                       [=](double x) { return nan_max(0.0, nan_min(1.0, alpha * x + beta)); });
}

}  // namespace

PLANISH_REFERENCE(hard_sigmoid) { return {"", "HardSigmoid", &eval_hard_sigmoid}; }

}  // namespace planish::reference
