#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_cos(const Call& call) {
  return unary<kFloat>(call, [](double x) { return std::cos(x); });
}

}  // namespace

PLANISH_REFERENCE(cos) { return {"", "Cos", &eval_cos}; }

}  // namespace planish::reference
