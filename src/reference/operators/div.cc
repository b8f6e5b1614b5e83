#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_div(const Call& call) {
  // Integers truncate towards zero; the one overflow (least value / -1) wraps.
  const Tensor& b = call.tensor(1);
  if (number_of(b.dtype()) != Number::kFloat) no_zero(call, b, call.tensor(0).size());
  return binary<kNumber>(call, [](auto x, auto y) {
    if constexpr (std::is_same_v<decltype(x), int64_t>) {
      if (y == -1) return wrap_sub<int64_t>(0, x);
    }
    return x / y;
  });
}

}  // namespace

PLANISH_REFERENCE(div) { return {"", "Div", &eval_div}; }

}  // namespace planish::reference
