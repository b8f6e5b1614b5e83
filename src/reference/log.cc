#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval(const Call& call) {
  return unary<kFloat>(call, [](double x) { return std::log(x); });
}

}  // namespace

PLANISH_REFERENCE(log) { return {"", "Log", &eval}; }

}  // namespace planish::reference
