#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_concat(const Call& call) {
  const Tensor& head = call.tensor(0);
  const int64_t axis = normal_axis(call, call.attributes.get_int("axis"), head.rank());
  const auto at = static_cast<size_t>(axis);
  Dims dims = head.dims();
  dims[at] = 0;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor& part = call.tensor(i);
    Dims other = part.dims();
    if (part.rank() == head.rank()) other[at] = head.dims()[at];
    if (other != head.dims() || part.dtype() != head.dtype())
      fail(ErrorCode::kInvalidInput, "Concat: input {} is {} of {}, which does not fit {} of {}", i,
           to_string(part.dtype()), dims_to_string(part.dims()), to_string(head.dtype()),
           dims_to_string(head.dims()));
    grow(call, dims[at], part.dims()[at]);
  }
  Tensor out = call.make(head.dtype(), dims);
  const std::vector<int64_t> strides = row_major(dims);
  int64_t first = 0;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor& part = call.tensor(i);
    copy_walk(call, part.dims(), out, {first, strides}, part, {0, row_major(part.dims())});
    first += part.dims()[at] * strides[at];
  }
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(concat) { return {"", "Concat", &eval_concat}; }

}  // namespace planish::reference
