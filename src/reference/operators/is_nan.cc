#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_is_nan(const Call& call) {
  const Tensor& x = call.tensor(0);
  if (!is_floating(x.dtype())) unsupported_type(call, x.dtype());
  return single(map<double>(call, x, DType::kBool, [](double v) { return std::isnan(v); }));
}

}  // namespace

PLANISH_REFERENCE(is_nan) { return {"", "IsNaN", &eval_is_nan}; }

}  // namespace planish::reference
