#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_max(const Call& call) {
  return variadic<kNumber>(
      call, [](auto a, auto b) { return nan_max(a, b); }, [](auto total, size_t) { return total; });
}

}  // namespace

PLANISH_REFERENCE(max) { return {"", "Max", &eval_max}; }

}  // namespace planish::reference
