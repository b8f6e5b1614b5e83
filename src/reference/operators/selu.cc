#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_selu(const Call& call) {
  const double alpha = call.attributes.get_float("alpha", 1.67326319217681884765625f);
  const double gamma = call.attributes.get_float("gamma", 1.05070102214813232421875f);
  return unary<kFloat>(call, [=](double x) { return gamma * (x > 0 ? x : alpha * std::expm1(x)); });
}

}  // namespace

PLANISH_REFERENCE(selu) { return {"", "Selu", &eval_selu}; }

}  // namespace planish::reference
