#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_hard_swish(const Call& call) {
  return unary<kFloat>(call,
                       [](double x) { return x * nan_max(0.0, nan_min(1.0, x / 6.0 + 0.5)); });
}

}  // namespace

PLANISH_REFERENCE(hard_swish) { return {"", "HardSwish", &eval_hard_swish}; }

}  // namespace planish::reference
