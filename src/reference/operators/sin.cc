#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_sin(const Call& call) {
  return unary<kFloat>(call, [](double x) { return std::sin(x); });
}

}  // namespace

PLANISH_REFERENCE(sin) { return {"", "Sin", &eval_sin}; }

}  // namespace planish::reference
