#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_reciprocal(const Call& call) {
  return unary<kFloat>(call, [](double x) { return 1.0 / x; });
}

}  // namespace

PLANISH_REFERENCE(reciprocal) { return {"", "Reciprocal", &eval_reciprocal}; }

}  // namespace planish::reference
