#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_tanh(const Call& call) {
  return unary<kFloat>(call, [](double x) { return std::tanh(x); });
}

}  // namespace

PLANISH_REFERENCE(tanh) { return {"", "Tanh", &eval_tanh}; }

}  // namespace planish::reference
