#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_sqrt(const Call& call) {
  return unary<kFloat>(call, [](double x) { return std::sqrt(x); });
}

}  // namespace

PLANISH_REFERENCE(sqrt) { return {"", "Sqrt", &eval_sqrt}; }

}  // namespace planish::reference
