#include "reference/broadcast.h"
#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_expand(const Call& call) {
  const Tensor& x = call.tensor(0);
  const Dims wanted = integers(call.tensor(1));
  for (const int64_t dim : wanted) {
    if (dim < 0)
      fail(ErrorCode::kInvalidInput, "Expand: shape {} is negative", dims_to_string(wanted));
  }
  const Dims* shapes[] = {&x.dims(), &wanted};
  Dims dims = broadcast_dims(call, shapes);
  const size_t shift = dims.size() - x.dims().size();
  const std::vector<int64_t> strides = row_major(x.dims());
  Walk from{0, std::vector<int64_t>(dims.size(), 0)};
  for (size_t i = shift; i < dims.size(); ++i) {
    if (x.dims()[i - shift] != 1) from.strides[i] = strides[i - shift];
  }
  return single(take_walk(call, std::move(dims), x, from));
}

}  // namespace

PLANISH_REFERENCE(expand) { return {"", "Expand", &eval_expand}; }

}  // namespace planish::reference
