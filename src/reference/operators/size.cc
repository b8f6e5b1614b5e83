#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_size(const Call& call) {
  return single(Tensor::scalar<int64_t>(call.tensor(0).size()));
}

}  // namespace

PLANISH_REFERENCE(size) { return {"", "Size", &eval_size}; }

}  // namespace planish::reference
