#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_is_inf(const Call& call) {
  const Tensor& x = call.tensor(0);
  if (!is_floating(x.dtype())) unsupported_type(call, x.dtype());
  const bool positive = call.attributes.get_int("detect_positive", 1) != 0;
  const bool negative = call.attributes.get_int("detect_negative", 1) != 0;
  return single(map<double>(call, x, DType::kBool, [=](double v) {
    return std::isinf(v) && (v > 0 ? positive : negative);
  }));
}

}  // namespace

PLANISH_REFERENCE(is_inf) { return {"", "IsInf", &eval_is_inf}; }

}  // namespace planish::reference
