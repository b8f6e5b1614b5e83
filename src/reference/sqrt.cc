#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval(const Call& call) {
  return unary<kFloat>(call, [](double x) { return std::sqrt(x); });
}

}  // namespace

PLANISH_REFERENCE(sqrt) { return {"", "Sqrt", &eval}; }

}  // namespace planish::reference
