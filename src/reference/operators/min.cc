#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_min(const Call& call) {
  return variadic<kNumber>(
      call, [](auto a, auto b) { return nan_min(a, b); }, [](auto total, size_t) { return total; });
}

}  // namespace

PLANISH_REFERENCE(min) { return {"", "Min", &eval_min}; }

}  // namespace planish::reference
