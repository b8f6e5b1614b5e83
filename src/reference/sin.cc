#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval(const Call& call) {
  return unary<kFloat>(call, [](double x) { return std::sin(x); });
}

}  // namespace

PLANISH_REFERENCE(sin) { return {"", "Sin", &eval}; }

}  // namespace planish::reference
