#include "reference/control.h"

#include "reference/movement.h"
#include "reference/work.h"

namespace planish::reference {

bool one_bool(const Call& call, const Value& value, std::string_view what) {
  const Tensor& t = value.tensor();
  if (t.dtype() != DType::kBool || t.size() != 1) {
    fail(ErrorCode::kInvalidInput, "{}: {} must be one bool, got {} [{}]", call.op, what,
         to_string(t.dtype()), dims_to_string(t.dims()));
  }
  return load_int(t, 0) != 0;
}

std::vector<Value> run_block(const Call& call,
                             size_t index,
                             std::vector<Value> arguments,
                             size_t count) {
  if (!call.callbacks.run_block)
    fail(ErrorCode::kInternal, "{} is evaluated without a way to run its blocks", call.op);
  std::vector<Value> values = call.callbacks.run_block(index, std::move(arguments));
  if (values.size() < count) {
    fail(ErrorCode::kInvalidModel, "{}: block {} returns {} values where {} are needed", call.op,
         index, values.size(), count);
  }
  return values;
}

void Stack::add(const Call& call, Value element) {
  Tensor t = std::move(element.tensor());
  if (!t.owns() && t.dtype() != DType::kString) t = copied(call, t);  // what it views may change
  if (!elements_.empty() &&
      (t.dtype() != elements_[0].dtype() || t.dims() != elements_[0].dims())) {
    fail(ErrorCode::kData, "{}: scan output {} was [{}] and becomes [{}]; iterations must agree",
         call.op, block_output_, dims_to_string(elements_[0].dims()), dims_to_string(t.dims()));
  }
  bytes_ += t.bytes() + static_cast<int64_t>(sizeof(Tensor));
  if (bytes_ > call.callbacks.max_output_bytes) {
    fail(ErrorCode::kOutOfMemory, "{}: scan output {} passes the limit of {} bytes", call.op,
         block_output_, call.callbacks.max_output_bytes);
  }
  elements_.push_back(std::move(t));
}

Tensor Stack::finish(const Call& call) const {
  DType dtype = DType::kFloat32;
  Dims element;
  if (!elements_.empty()) {
    dtype = elements_[0].dtype();
    element = elements_[0].dims();
  } else if (call.callbacks.block_output) {
    const Type type = call.callbacks.block_output(0, block_output_);
    if (type.is_tensor() && type.dtype != DType::kUndefined) dtype = type.dtype;
    if (type.shape) {
      for (const SizeExpr& dim : *type.shape) element.push_back(dim.constant().value_or(0));
    }
  }
  const int64_t axis = normal_axis(call, axis_, static_cast<int64_t>(element.size()) + 1);
  Dims dims = element;
  dims.insert(dims.begin() + axis, static_cast<int64_t>(elements_.size()));
  Tensor y = call.make(dtype, dims);
  std::vector<int64_t> strides = row_major(dims);
  const int64_t step = strides[static_cast<size_t>(axis)];
  strides.erase(strides.begin() + axis);
  const Walk from{0, row_major(element)};
  const auto count = static_cast<int64_t>(elements_.size());
  for (int64_t i = 0; i < count; ++i) {
    copy_walk(call, element, y, {(reversed_ ? count - 1 - i : i) * step, strides},
              elements_[static_cast<size_t>(i)], from);
  }
  return y;
}

}  // namespace planish::reference
