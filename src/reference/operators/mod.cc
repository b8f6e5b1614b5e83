// Integer Mod takes the sign of the divisor (Python's %), fmod that of the dividend (C's).
#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_mod(const Call& call) {
  const Tensor& b = call.tensor(1);
  const bool c_like = call.attributes.get_int("fmod", 0) != 0;
  if (number_of(b.dtype()) != Number::kFloat) {
    no_zero(call, b, call.tensor(0).size());
  } else if (!c_like) {
    fail(ErrorCode::kInvalidModel, "Mod of {} needs fmod=1", to_string(b.dtype()));
  }
  return binary<kNumber>(call, [c_like](auto x, auto y) {
    using T = decltype(x);
    if constexpr (std::is_same_v<T, double>) {
      return std::fmod(x, y);
    } else if constexpr (std::is_same_v<T, int64_t>) {
      if (y == -1) return T{0};  // the least value % -1 would trap
      const T rest = x % y;
      return !c_like && rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
    } else {
      return x % y;
    }
  });
}

}  // namespace

PLANISH_REFERENCE(mod) { return {"", "Mod", &eval_mod}; }

}  // namespace planish::reference
