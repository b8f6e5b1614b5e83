#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_transpose(const Call& call) {
  const Tensor& x = call.tensor(0);
  const auto rank = x.dims().size();
  Ints perm = call.attributes.get_ints("perm");
  if (!call.attributes.has("perm")) {
    for (size_t i = rank; i-- > 0;) perm.push_back(static_cast<int64_t>(i));
  }
  Ints sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  bool valid = perm.size() == rank;
  for (size_t i = 0; valid && i < rank; ++i) valid = sorted[i] == static_cast<int64_t>(i);
  if (!valid)
    fail(ErrorCode::kInvalidModel, "Transpose: perm is not a permutation of {} axes", rank);
  const std::vector<int64_t> strides = row_major(x.dims());
  Dims dims;
  Walk from;
  for (const int64_t axis : perm) {
    dims.push_back(x.dims()[static_cast<size_t>(axis)]);
    from.strides.push_back(strides[static_cast<size_t>(axis)]);
  }
  return single(take_walk(call, std::move(dims), x, from));
}

}  // namespace

PLANISH_REFERENCE(transpose) { return {"", "Transpose", &eval_transpose}; }

}  // namespace planish::reference
