#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_squeeze(const Call& call) {
  const Tensor& x = call.tensor(0);
  std::vector<bool> drop(x.dims().size(), false);
  if (call.has(1)) {
    for (const int64_t given : integers(call.tensor(1))) {
      const int64_t axis = normal_axis(call, given, x.rank());
      if (x.dim(static_cast<int>(axis)) != 1)
        fail(ErrorCode::kInvalidInput, "Squeeze: axis {} of {} is not 1", given,
             dims_to_string(x.dims()));
      drop[static_cast<size_t>(axis)] = true;
    }
  } else {
    for (size_t i = 0; i < drop.size(); ++i) drop[i] = x.dims()[i] == 1;
  }
  Dims dims;
  for (size_t i = 0; i < drop.size(); ++i) {
    if (!drop[i]) dims.push_back(x.dims()[i]);
  }
  return single(copied(call, x, std::move(dims)));
}

}  // namespace

PLANISH_REFERENCE(squeeze) { return {"", "Squeeze", &eval_squeeze}; }

}  // namespace planish::reference
