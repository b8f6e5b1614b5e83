#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_sign(const Call& call) {
  return unary<kNumber>(call, [](auto x) {
    using T = decltype(x);
    if constexpr (std::is_same_v<T, double>) {
      if (std::isnan(x)) return x;
    }
    return static_cast<T>((x > T{0} ? 1 : 0) - (x < T{0} ? 1 : 0));
  });
}

}  // namespace

PLANISH_REFERENCE(sign) { return {"", "Sign", &eval_sign}; }

}  // namespace planish::reference
