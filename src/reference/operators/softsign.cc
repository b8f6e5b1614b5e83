#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_softsign(const Call& call) {
  return unary<kFloat>(call, [](double x) {
    return std::isinf(x) ? std::copysign(1.0, x) : x / (1.0 + std::fabs(x));
  });
}

}  // namespace

PLANISH_REFERENCE(softsign) { return {"", "Softsign", &eval_softsign}; }

}  // namespace planish::reference
