// The exponent may be of another type; the result has the type of the base.
#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_pow(const Call& call) {
  const Tensor& x = call.tensor(0);
  const Tensor& y = call.tensor(1);
  if (number_of(x.dtype()) == Number::kNone) unsupported_type(call, x.dtype());
  if (number_of(y.dtype()) == Number::kNone) unsupported_type(call, y.dtype());
  const bool integral =
      number_of(x.dtype()) != Number::kFloat && number_of(y.dtype()) != Number::kFloat;
  if (!integral) {
    return single(map2<double>(call, x, y, x.dtype(),
                               [](double base, double power) { return std::pow(base, power); }));
  }
  const std::vector<int64_t> powers = integers(y);
  const bool inverse = number_of(y.dtype()) == Number::kSigned &&
                       std::any_of(powers.begin(), powers.end(), [](int64_t p) { return p < 0; });
  if (inverse) no_zero(call, x, y.size());
  // By squaring, modulo 2^64. A negative power of 1 or -1 is one of them again, of others 0.
  return single(map2<int64_t>(call, x, y, x.dtype(), [inverse](int64_t base, int64_t power) {
    if (inverse && power < 0) {
      if (base == 1) return int64_t{1};
      if (base == -1) return (power & 1) != 0 ? int64_t{-1} : int64_t{1};
      return int64_t{0};
    }
    int64_t result = 1;
    for (uint64_t rest = static_cast<uint64_t>(power); rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) result = wrap_mul(result, base);
      base = wrap_mul(base, base);
    }
    return result;
  }));
}

}  // namespace

PLANISH_REFERENCE(pow) { return {"", "Pow", &eval_pow}; }

}  // namespace planish::reference
