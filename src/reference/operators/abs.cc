#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_abs(const Call& call) {
  return unary<kNumber>(call, [](auto x) {
    if constexpr (std::is_same_v<decltype(x), double>)
      return std::fabs(x);
    else if constexpr (std::is_same_v<decltype(x), int64_t>)
      return x < 0 ? wrap_sub<int64_t>(0, x) : x;
    else
      return x;
  });
}

}  // namespace

PLANISH_REFERENCE(abs) { return {"", "Abs", &eval_abs}; }

}  // namespace planish::reference
