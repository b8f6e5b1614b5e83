#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_round(const Call& call) {
  // To the nearest integer, halves to even, whatever the rounding mode of the thread.
  return unary<kFloat>(call, [](double x) {
    const double down = std::floor(x);
    const double rest = x - down;
    if (!(rest > 0)) return x;
    const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(down, 2.0) != 0);
    return std::copysign(up ? down + 1.0 : down, x);
  });
}

}  // namespace

PLANISH_REFERENCE(round) { return {"", "Round", &eval_round}; }

}  // namespace planish::reference
