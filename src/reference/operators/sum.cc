#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_sum(const Call& call) {
  return variadic<kFloat>(
      call, [](double a, double b) { return a + b; }, [](double total, size_t) { return total; });
}

}  // namespace

PLANISH_REFERENCE(sum) { return {"", "Sum", &eval_sum}; }

}  // namespace planish::reference
