#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_sigmoid(const Call& call) {
  return unary<kFloat>(call, [](double x) { return 1.0 / (1.0 + std::exp(-x)); });
}

}  // namespace

PLANISH_REFERENCE(sigmoid) { return {"", "Sigmoid", &eval_sigmoid}; }

}  // namespace planish::reference
