#include "reference/movement.h"

#include <algorithm>

namespace planish::reference {

std::vector<int64_t> row_major(std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

void copy_run(Tensor& target, int64_t to, const Tensor& source, int64_t from, int64_t count) {
  if (count <= 0) return;
  const int bits = bit_width(source.dtype());
  if (source.dtype() == DType::kString) {
    std::copy_n(source.strings().begin() + from, count, target.mutable_strings().begin() + to);
  } else if (bits >= 8) {
    const int64_t width = bits / 8;
    std::memcpy(target.mutable_raw() + to * width, source.raw() + from * width,
                static_cast<size_t>(count * width));
  } else {
    const detail::MovePacked move{target.mutable_raw(), source.raw(), bits};
    for (int64_t i = 0; i < count; ++i) move(to + i, from + i);
  }
}

void copy_walk(const Call& call,
               std::span<const int64_t> dims,
               Tensor& target,
               const Walk& to,
               const Tensor& source,
               const Walk& from) {
  // Axes of extent 1 drop out; neighbours that both sides step through evenly are joined.
  std::vector<int64_t> extents, to_strides, from_strides;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) return;
    if (dims[i] == 1) continue;
    if (!extents.empty() && to_strides.back() == to.strides[i] * dims[i] &&
        from_strides.back() == from.strides[i] * dims[i]) {
      extents.back() *= dims[i];
      to_strides.back() = to.strides[i];
      from_strides.back() = from.strides[i];
      continue;
    }
    extents.push_back(dims[i]);
    to_strides.push_back(to.strides[i]);
    from_strides.push_back(from.strides[i]);
  }
  if (extents.empty()) {
    copy_run(target, to.first, source, from.first, 1);
    return;
  }
  const int64_t inner = extents.back();
  const int64_t to_step = to_strides.back();
  const int64_t from_step = from_strides.back();
  extents.pop_back();
  const int64_t rows = element_count(extents);
  const auto place = [&](int64_t row, int64_t& t, int64_t& f) {
    t = to.first;
    f = from.first;
    for (size_t k = extents.size(); k-- > 0;) {
      const int64_t i = row % extents[k];
      row /= extents[k];
      t += i * to_strides[k];
      f += i * from_strides[k];
    }
  };
  const auto work = [&](int64_t begin, int64_t end) {
    with_mover(target, source, [&](auto move) {
      for (int64_t row = begin; row < end; ++row) {
        int64_t t = 0, f = 0;
        place(row, t, f);
        if (to_step == 1 && from_step == 1 && inner > 4) {
          copy_run(target, t, source, f, inner);
        } else {
          for (int64_t i = 0; i < inner; ++i) move(t + i * to_step, f + i * from_step);
        }
      }
    });
  };
  // Packed elements of two rows may share a byte.
  if (is_sub_byte(source.dtype()))
    work(0, rows);
  else
    call.parallel_for(rows, work);
}

Tensor take_walk(const Call& call, Dims dims, const Tensor& source, const Walk& from) {
  Tensor out = call.make(source.dtype(), dims);
  copy_walk(call, dims, out, {0, row_major(dims)}, source, from);
  return out;
}

void fill(Tensor& target, const Tensor& value) {
  with_mover(target, value, [&](auto move) {
    for (int64_t i = 0; i < target.size(); ++i) move(i, 0);
  });
}

void grow(const Call& call, int64_t& dim, int64_t by) {
  if (dim > (int64_t{1} << 62) - by)
    fail(ErrorCode::kInvalidInput, "{}: the parts together are longer than 2^62", call.op);
  dim += by;
}

Tensor copied(const Call& call, const Tensor& source, Dims dims) {
  Tensor out = call.make(source.dtype(), std::move(dims));
  if (out.size() != source.size())
    fail(ErrorCode::kInvalidInput, "{}: {} elements cannot take the shape {}", call.op,
         source.size(), dims_to_string(out.dims()));
  if (source.dtype() == DType::kString)
    out.mutable_strings() = source.strings();
  else if (source.bytes() > 0)
    std::memcpy(out.mutable_raw(), source.raw(), static_cast<size_t>(source.bytes()));
  return out;
}

int64_t normal_index(const Call& call, int64_t index, int64_t bound) {
  if (index < -bound || index >= bound)
    fail(ErrorCode::kData, "{}: index {} is outside [{}, {})", call.op, index, -bound, bound);
  return index < 0 ? index + bound : index;
}

}  // namespace planish::reference
