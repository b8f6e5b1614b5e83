#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_mean(const Call& call) {
  return variadic<kFloat>(
      call, [](double a, double b) { return a + b; },
      [](double total, size_t count) { return total / static_cast<double>(count); });
}

}  // namespace

PLANISH_REFERENCE(mean) { return {"", "Mean", &eval_mean}; }

}  // namespace planish::reference
