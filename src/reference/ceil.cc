#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval(const Call& call) {
  return unary<kFloat>(call, [](double x) { return std::ceil(x); });
}

}  // namespace

PLANISH_REFERENCE(ceil) { return {"", "Ceil", &eval}; }

}  // namespace planish::reference
