#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_thresholded_relu(const Call& call) {
  const double alpha = call.attributes.get_float("alpha", 1.0f);
  return unary<kFloat>(call, [=](double x) { return x > alpha || std::isnan(x) ? x : 0.0; });
}

}  // namespace

PLANISH_REFERENCE(thresholded_relu) { return {"", "ThresholdedRelu", &eval_thresholded_relu}; }

}  // namespace planish::reference
