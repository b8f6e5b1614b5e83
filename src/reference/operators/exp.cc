#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_exp(const Call& call) {
  return unary<kFloat>(call, [](double x) { return std::exp(x); });
}

}  // namespace

PLANISH_REFERENCE(exp) { return {"", "Exp", &eval_exp}; }

}  // namespace planish::reference
