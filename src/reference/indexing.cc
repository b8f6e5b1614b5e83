#include "reference/indexing.h"

namespace planish::reference {

ElementIndex::ElementIndex(const Call& call, const Tensor& data, const Tensor& where, size_t axis) {
  bool fits = data.rank() == where.rank();
  for (size_t i = 0; fits && i < data.dims().size(); ++i)
    fits = i == axis || where.dims()[i] <= data.dims()[i];
  if (!fits)
    fail(ErrorCode::kInvalidInput, "{}: indices of {} do not fit data of {} along axis {}", call.op,
         dims_to_string(where.dims()), dims_to_string(data.dims()), axis);
  const std::vector<int64_t> strides = row_major(data.dims());
  const std::vector<int64_t> index = integers(where);
  elements_.reserve(index.size());
  for (size_t i = 0; i < index.size(); ++i) {
    int64_t element = normal_index(call, index[i], data.dims()[axis]) * strides[axis];
    auto rest = static_cast<int64_t>(i);
    for (size_t k = strides.size(); k-- > 0;) {
      const int64_t coordinate = rest % where.dims()[k];
      rest /= where.dims()[k];
      if (k != axis) element += coordinate * strides[k];
    }
    elements_.push_back(element);
  }
}

TupleIndex::TupleIndex(const Call& call,
                       const Tensor& data,
                       const Tensor& where,
                       int64_t batch_dims) {
  const int64_t rank = data.rank(), where_rank = where.rank();
  if (where_rank == 0) fail(ErrorCode::kInvalidInput, "{}: indices must have an axis", call.op);
  const int64_t width = where.dims().back();
  bool fits = batch_dims >= 0 && batch_dims < where_rank && batch_dims <= rank && width >= 1 &&
              width <= rank - batch_dims;
  for (int64_t i = 0; fits && i < batch_dims; ++i)
    fits = data.dim(static_cast<int>(i)) == where.dim(static_cast<int>(i));
  if (!fits)
    fail(ErrorCode::kInvalidInput, "{}: indices of {} do not fit data of {} with {} batch dims",
         call.op, dims_to_string(where.dims()), dims_to_string(data.dims()), batch_dims);
  const auto first_axis = static_cast<size_t>(batch_dims);
  const auto last_axis = static_cast<size_t>(batch_dims + width);
  dims_.assign(where.dims().begin(), where.dims().end() - 1);
  const std::vector<int64_t> strides = row_major(data.dims());
  int64_t batches = 1;
  for (size_t i = 0; i < first_axis; ++i) batches *= data.dims()[i];
  for (size_t i = last_axis; i < data.dims().size(); ++i) {
    dims_.push_back(data.dims()[i]);
    run_ *= data.dims()[i];
  }
  const std::span<const int64_t> tuple_dims(where.dims().data(), where.dims().size() - 1);
  const int64_t tuples = element_count(tuple_dims);
  const std::vector<int64_t> index = integers(where);
  const int64_t per_batch = batches == 0 ? 0 : tuples / batches;
  const int64_t batch_stride = first_axis == 0 ? 0 : strides[first_axis - 1];
  for (int64_t t = 0; t < tuples; ++t) {
    int64_t first = per_batch == 0 ? 0 : t / per_batch * batch_stride;
    for (size_t k = first_axis; k < last_axis; ++k) {
      const auto i = static_cast<size_t>(t * width) + (k - first_axis);
      first += normal_index(call, index[i], data.dims()[k]) * strides[k];
    }
    firsts_.push_back(first);
  }
}

Combine combine_of(const Call& call) {
  const std::string name = call.attributes.get_string("reduction", "none");
  if (name == "none") return Combine::kReplace;
  if (name == "add") return Combine::kAdd;
  if (name == "mul") return Combine::kMul;
  if (name == "min") return Combine::kMin;
  if (name == "max") return Combine::kMax;
  fail(ErrorCode::kInvalidModel, "{}: reduction \"{}\" is none of none, add, mul, min, max",
       call.op, name);
}

void combine_run(const Call& call,
                 Combine combine,
                 Tensor& target,
                 int64_t to,
                 const Tensor& source,
                 int64_t from,
                 int64_t count) {
  if (combine == Combine::kReplace) {
    copy_run(target, to, source, from, count);
    return;
  }
  with_number<kNumber>(call, target.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T have[kBlock], next[kBlock];
    for (int64_t done = 0; done < count; done += kBlock) {
      const int64_t n = std::min(kBlock, count - done);
      load(target, to + done, 1, n, have);
      load(source, from + done, 1, n, next);
      for (int64_t i = 0; i < n; ++i) {
        switch (combine) {
          case Combine::kAdd:
            have[i] = wrap_add(have[i], next[i]);
            break;
          case Combine::kMul:
            have[i] = wrap_mul(have[i], next[i]);
            break;
          case Combine::kMin:
            have[i] = nan_min(have[i], next[i]);
            break;
          case Combine::kMax:
            have[i] = nan_max(have[i], next[i]);
            break;
          case Combine::kReplace:
            break;
        }
      }
      store(target, to + done, n, have);
    }
    return std::vector<Value>{};
  });
}

}  // namespace planish::reference
