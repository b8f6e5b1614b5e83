#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_reshape(const Call& call) {
  const Tensor& x = call.tensor(0);
  Dims dims = integers(call.tensor(1));
  const bool allow_zero = call.attributes.get_int("allowzero", 0) != 0;
  int64_t open = -1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && !allow_zero) {
      if (i >= x.dims().size())
        fail(ErrorCode::kInvalidInput, "Reshape: target {} copies axis {} of a tensor of rank {}",
             dims_to_string(dims), i, x.rank());
      dims[i] = x.dims()[i];
    } else if (dims[i] == -1) {
      if (open >= 0)
        fail(ErrorCode::kInvalidInput, "Reshape: target {} has more than one -1",
             dims_to_string(dims));
      open = static_cast<int64_t>(i);
    } else if (dims[i] < 0) {
      fail(ErrorCode::kInvalidInput, "Reshape: target {} has the negative dim {}",
           dims_to_string(dims), dims[i]);
    }
  }
  if (open >= 0) {
    int64_t& dim = dims[static_cast<size_t>(open)];
    dim = 1;
    const int64_t known = element_count(dims);
    if (known == 0 || x.size() % known != 0)
      fail(ErrorCode::kInvalidInput, "Reshape: {} elements do not divide into the target {}",
           x.size(), dims_to_string(integers(call.tensor(1))));
    dim = x.size() / known;
  }
  if (element_count(dims) != x.size())
    fail(ErrorCode::kInvalidInput, "Reshape: {} has {} elements, the target {} has {}",
         dims_to_string(x.dims()), x.size(), dims_to_string(dims), element_count(dims));
  return single(copied(call, x, std::move(dims)));
}

}  // namespace

PLANISH_REFERENCE(reshape) { return {"", "Reshape", &eval_reshape}; }

}  // namespace planish::reference
