#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_constant_of_shape(const Call& call) {
  Dims dims = integers(call.tensor(0));
  for (const int64_t dim : dims) {
    if (dim < 0) fail(ErrorCode::kInvalidInput, "ConstantOfShape: dim {} is negative", dim);
  }
  const Tensor* value = call.attributes.get_tensor("value");
  if (value == nullptr) return single(call.make(DType::kFloat32, std::move(dims)));
  if (value->size() != 1)
    fail(ErrorCode::kInvalidModel, "ConstantOfShape: value has {} elements, one is needed",
         value->size());
  Tensor out = call.make(value->dtype(), std::move(dims));
  fill(out, *value);
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(constant_of_shape) { return {"", "ConstantOfShape", &eval_constant_of_shape}; }

}  // namespace planish::reference
