#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_not(const Call& call) {
  const Tensor& x = call.tensor(0);
  if (x.dtype() != DType::kBool) unsupported_type(call, x.dtype());
  return single(map<uint64_t>(call, x, DType::kBool, [](uint64_t v) { return v == 0; }));
}

}  // namespace

PLANISH_REFERENCE(not) { return {"", "Not", &eval_not}; }

}  // namespace planish::reference
