#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_elu(const Call& call) {
  const double alpha = call.attributes.get_float("alpha", 1.0f);
  return unary<kFloat>(call, [=](double x) { return x < 0 ? alpha * std::expm1(x) : x; });
}

}  // namespace

PLANISH_REFERENCE(elu) { return {"", "Elu", &eval_elu}; }

}  // namespace planish::reference
