#include "onnx/constants.h"

#include <cstring>

#include "base/error.h"
#include "io/tensor_proto.h"

namespace planish::onnx {
namespace {

std::span<const std::byte> as_bytes(Text t) {
  return {reinterpret_cast<const std::byte*>(t.data()), t.size()};
}

ExternalReference reference_of(const io::TensorProtoView& view) {
  ExternalReference r;
  for (const auto& entry : view.external_data) {
    if (entry.key == "location") r.location = entry.value;
    if (entry.key == "offset") r.offset = entry.value;
    if (entry.key == "length") r.length = entry.value;
    // Other keys (checksum, basepath) say nothing about where the bytes lie.
  }
  return r;
}

}  // namespace

Tensor Constants::keep(Tensor tensor) {
  if (!tensor.owns()) return tensor;
  return made_.emplace_back(std::move(tensor)).view();
}

Tensor Constants::read(const TensorProto& proto, std::string_view where) {
  const bool inside =
      proto.raw.data() >= file_.data() && proto.raw.data() <= file_.data() + file_.size();
  io::TensorProtoView view =
      io::parse_tensor_proto(as_bytes(proto.raw), inside ? proto.raw.data() - file_.data() : 0);
  if (view.name.empty()) view.name = where;
  if (!view.external) return io::to_tensor(view);
  if (view.dtype == DType::kString || view.dtype == DType::kUndefined) {
    fail(ErrorCode::kInvalidModel, "tensor '{}' of type {} cannot lie in external data", view.name,
         to_string(view.dtype));
  }
  if (!view.raw.empty() || view.has_typed || view.has_segment) {
    fail(ErrorCode::kInvalidModel, "tensor '{}' has both external data and data of its own",
         view.name);
  }
  const int64_t needed = byte_count(view.dtype, element_count(view.dims));
  view.raw = external_.bytes(view.name, reference_of(view), needed);
  view.external = false;
  return io::to_tensor(view);
}

Tensor Constants::tensor(const TensorProto& proto, std::string_view where) {
  // Only what had to be converted is remembered: a view is made anew as fast.
  if (const auto it = known_.find(&proto); it != known_.end()) return it->second->view();
  Tensor tensor = read(proto, where);
  if (!tensor.owns()) return tensor;
  const Tensor& made = made_.emplace_back(std::move(tensor));
  known_.emplace(&proto, &made);
  return made.view();
}

Tensor Constants::sparse(const SparseTensorProto& proto, std::string_view where) {
  if (const auto it = known_.find(&proto); it != known_.end()) return it->second->view();
  const auto reject = [&](const std::string& rule) {
    fail(ErrorCode::kInvalidModel, "sparse tensor '{}': {}", where, rule);
  };
  if (!proto.values) reject("it has no values");
  const Tensor values = tensor(*proto.values, where);
  if (values.rank() != 1) reject("its values must have one dim");
  const int bits = bit_width(values.dtype());
  if (bits < 8) {
    fail(ErrorCode::kUnsupported, "sparse tensor '{}' is of type {}", where,
         to_string(values.dtype()));
  }
  const Dims& dims = proto.dims;
  const int64_t count = element_count(dims), width = bits / 8;
  if (byte_count(values.dtype(), count) > sparse_budget_) {
    reject(fmt::format("expanded to {} of {} it passes the limit for sparse tensors",
                       dims_to_string(dims), to_string(values.dtype())));
  }
  sparse_budget_ -= byte_count(values.dtype(), count);

  Tensor indices = Tensor(DType::kInt64, {0});
  if (proto.indices) {
    indices = tensor(*proto.indices, where).aligned();
  } else if (values.size() != 0) {
    reject("it has values and no indices");
  }
  if (indices.dtype() != DType::kInt64) reject("its indices must be int64");
  const int64_t stored = values.size(), rank = static_cast<int64_t>(dims.size());
  const bool linear = indices.rank() == 1;
  if (indices.rank() < 1 || indices.rank() > 2 || indices.dim(0) != stored ||
      (!linear && indices.dim(1) != rank)) {
    reject(fmt::format("indices of shape {} do not fit {} values and rank {}",
                       dims_to_string(indices.dims()), stored, rank));
  }
  Tensor dense(values.dtype(), dims);
  const std::span<const int64_t> at = indices.data<int64_t>();
  int64_t last = -1;
  for (int64_t i = 0; i < stored; ++i) {
    int64_t place = linear ? at[static_cast<size_t>(i)] : 0;
    for (int64_t axis = 0; !linear && axis < rank; ++axis) {
      const int64_t index = at[static_cast<size_t>(i * rank + axis)],
                    dim = dims[static_cast<size_t>(axis)];
      if (index < 0 || index >= dim)
        reject(fmt::format("index {} is outside dim {} of {}", index, axis, dim));
      place = place * dim + index;
    }
    if (place < 0 || place >= count)
      reject(fmt::format("index {} is outside {} elements", place, count));
    if (place <= last) reject("its indices are not in ascending order");
    last = place;
    std::memcpy(dense.mutable_raw() + place * width, values.raw() + i * width,
                static_cast<size_t>(width));
  }
  const Tensor& made = made_.emplace_back(std::move(dense));
  known_.emplace(&proto, &made);
  return made.view();
}

}  // namespace planish::onnx
