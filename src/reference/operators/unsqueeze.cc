#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_unsqueeze(const Call& call) {
  const Tensor& x = call.tensor(0);
  const std::vector<int64_t> axes = integers(call.tensor(1));
  const auto rank = x.rank() + static_cast<int64_t>(axes.size());
  std::vector<bool> fresh(static_cast<size_t>(rank), false);
  for (const int64_t given : axes) {
    const auto axis = static_cast<size_t>(normal_axis(call, given, rank));
    if (fresh[axis]) fail(ErrorCode::kInvalidInput, "Unsqueeze: axis {} is listed twice", given);
    fresh[axis] = true;
  }
  Dims dims;
  size_t next = 0;
  for (const bool one : fresh) dims.push_back(one ? 1 : x.dims()[next++]);
  return single(copied(call, x, std::move(dims)));
}

}  // namespace

PLANISH_REFERENCE(unsqueeze) { return {"", "Unsqueeze", &eval_unsqueeze}; }

}  // namespace planish::reference
