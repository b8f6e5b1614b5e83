#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_ceil(const Call& call) {
  return unary<kFloat>(call, [](double x) { return std::ceil(x); });
}

}  // namespace

PLANISH_REFERENCE(ceil) { return {"", "Ceil", &eval_ceil}; }

}  // namespace planish::reference
