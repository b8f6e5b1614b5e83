#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_log(const Call& call) {
  return unary<kFloat>(call, [](double x) { return std::log(x); });
}

}  // namespace

PLANISH_REFERENCE(log) { return {"", "Log", &eval_log}; }

}  // namespace planish::reference
