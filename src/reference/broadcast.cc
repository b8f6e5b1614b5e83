#include "reference/broadcast.h"

#include <string>

namespace planish::reference {

Dims broadcast_dims(const Call& call, std::span<const Dims* const> shapes) {
  size_t rank = 0;
  for (const Dims* shape : shapes) rank = std::max(rank, shape->size());
  Dims out(rank, 1);
  for (const Dims* shape : shapes) {
    const size_t shift = rank - shape->size();
    for (size_t i = 0; i < shape->size(); ++i) {
      const int64_t dim = (*shape)[i];
      int64_t& have = out[shift + i];
      if (dim == have || dim == 1) continue;
      if (have == 1) {
        have = dim;
        continue;
      }
      std::string list;
      for (const Dims* s : shapes) list += (list.empty() ? "" : ", ") + dims_to_string(*s);
      fail(ErrorCode::kInvalidInput, "{}: shapes {} do not broadcast ({} against {} at axis {})",
           call.op, list, dim, have, shift + i);
    }
  }
  return out;
}

Broadcast::Broadcast(const Call& call, std::vector<const Tensor*> operands)
    : operands_(std::move(operands)) {
  std::vector<const Dims*> shapes;
  for (const Tensor* t : operands_) shapes.push_back(&t->dims());
  dims_ = broadcast_dims(call, shapes);
  size_ = element_count(dims_);
  for (const Tensor* t : operands_) {
    Nest nest;
    const size_t shift = dims_.size() - t->dims().size();
    int64_t stride = 1;
    // From the innermost axis out, joining an axis to the one inside it where one step covers both.
    for (size_t i = dims_.size(); i-- > 0;) {
      const int64_t own = i >= shift ? t->dims()[i - shift] : 1;
      const int64_t step = own == 1 ? 0 : stride;
      if (dims_[i] != 1) {
        const bool joins =
            !nest.extents.empty() && step == nest.strides.back() * nest.extents.back();
        if (joins) {
          nest.extents.back() *= dims_[i];
        } else {
          nest.extents.push_back(dims_[i]);
          nest.strides.push_back(step);
        }
      }
      stride *= own;
    }
    if (nest.extents.empty()) nest = {{1}, {0}};
    std::reverse(nest.extents.begin(), nest.extents.end());
    std::reverse(nest.strides.begin(), nest.strides.end());
    nests_.push_back(std::move(nest));
  }
}

}  // namespace planish::reference
