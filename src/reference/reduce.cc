#include "reference/reduce.h"

namespace planish::reference {

Reduction plan_reduction(const Tensor& data, const std::vector<int64_t>& axes, bool keepdims) {
  Reduction plan;
  const std::vector<int64_t> strides = row_major(data.dims());
  std::vector<bool> reduced(data.dims().size(), false);
  for (const int64_t axis : axes) reduced[static_cast<size_t>(axis)] = true;
  for (size_t i = 0; i < reduced.size(); ++i) {
    const int64_t dim = data.dims()[i];
    if (!reduced[i]) {
      plan.dims.push_back(dim);
      plan.kept_extents.push_back(dim);
      plan.kept_strides.push_back(strides[i]);
      continue;
    }
    if (keepdims) plan.dims.push_back(1);
    plan.count *= dim;
    if (!plan.extents.empty() && plan.strides.back() == strides[i] * dim) {
      plan.extents.back() *= dim;
      plan.strides.back() = strides[i];
    } else {
      plan.extents.push_back(dim);
      plan.strides.push_back(strides[i]);
    }
  }
  return plan;
}

Reduction plan_reduction(const Call& call) {
  const Tensor& data = call.tensor(0);
  std::vector<int64_t> axes;
  if (call.has(1)) {
    for (const int64_t axis : integers(call.tensor(1)))
      axes.push_back(normal_axis(call, axis, data.rank()));
  }
  if (axes.empty() && call.attributes.get_int("noop_with_empty_axes", 0) == 0) {
    for (int64_t i = 0; i < data.rank(); ++i) axes.push_back(i);
  }
  return plan_reduction(data, axes, call.attributes.get_int("keepdims", 1) != 0);
}

}  // namespace planish::reference
