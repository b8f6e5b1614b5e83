#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_erf(const Call& call) {
  return unary<kFloat>(call, [](double x) { return std::erf(x); });
}

}  // namespace

PLANISH_REFERENCE(erf) { return {"", "Erf", &eval_erf}; }

}  // namespace planish::reference
