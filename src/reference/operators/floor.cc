#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_floor(const Call& call) {
  return unary<kFloat>(call, [](double x) { return std::floor(x); });
}

}  // namespace

PLANISH_REFERENCE(floor) { return {"", "Floor", &eval_floor}; }

}  // namespace planish::reference
