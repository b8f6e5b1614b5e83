#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_leaky_relu(const Call& call) {
  const double alpha = call.attributes.get_float("alpha", 0.01f);
  return unary<kFloat>(call, [=](double x) { return x < 0 ? alpha * x : x; });
}

}  // namespace

PLANISH_REFERENCE(leaky_relu) { return {"", "LeakyRelu", &eval_leaky_relu}; }

}  // namespace planish::reference
