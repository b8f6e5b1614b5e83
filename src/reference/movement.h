// Copying of elements of any dtype (packed sub-byte types and strings included) for the operators
// that move data and never look at it. Indices count elements; source and target agree in dtype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/elements.h"
#include "base/tensor.h"
#include "reference/blocks.h"
#include "reference/reference.h"

namespace planish::reference {

// Row-major strides in elements.
std::vector<int64_t> row_major(std::span<const int64_t> dims);

namespace detail {

template <size_t width>
struct MoveBytes {
  std::byte* target;
  const std::byte* source;
  void operator()(int64_t to, int64_t from) const {
    std::memcpy(target + to * static_cast<int64_t>(width),
                source + from * static_cast<int64_t>(width), width);
  }
};

struct MovePacked {
  std::byte* target;
  const std::byte* source;
  int bits;
  void operator()(int64_t to, int64_t from) const {
    store_packed(target, bits, to, load_packed(source, bits, from));
  }
};

struct MoveString {
  std::string* target;
  const std::string* source;
  void operator()(int64_t to, int64_t from) const { target[to] = source[from]; }
};

}  // namespace detail

// Calls f(move) where move(to, from) copies element `from` of source to element `to` of target.
template <class F>
void with_mover(Tensor& target, const Tensor& source, F&& f) {
  if (source.dtype() == DType::kString) {
    f(detail::MoveString{target.mutable_strings().data(), source.strings().data()});
    return;
  }
  std::byte* to = target.mutable_raw();
  const std::byte* from = source.raw();
  switch (bit_width(source.dtype())) {
    case 8:
      f(detail::MoveBytes<1>{to, from});
      return;
    case 16:
      f(detail::MoveBytes<2>{to, from});
      return;
    case 32:
      f(detail::MoveBytes<4>{to, from});
      return;
    case 64:
      f(detail::MoveBytes<8>{to, from});
      return;
    case 128:
      f(detail::MoveBytes<16>{to, from});
      return;
    default:
      f(detail::MovePacked{to, from, bit_width(source.dtype())});
      return;
  }
}

// Elements [from, from + count) of source to [to, to + count) of target.
void copy_run(Tensor& target, int64_t to, const Tensor& source, int64_t from, int64_t count);

// A rectangular walk: element sum(i_k * strides_k) + first, for all i within dims.
struct Walk {
  int64_t first = 0;
  std::vector<int64_t> strides;
};
// Copies the elements of walk `from` to those of walk `to`, both over `dims`. Target elements must
// be distinct.
void copy_walk(const Call& call,
               std::span<const int64_t> dims,
               Tensor& target,
               const Walk& to,
               const Tensor& source,
               const Walk& from);
// The elements of a walk in order, as a new tensor of shape `dims`.
Tensor take_walk(const Call& call, Dims dims, const Tensor& source, const Walk& from);

// Every element of target becomes element 0 of `value`.
void fill(Tensor& target, const Tensor& value);

// Adds to the dim that parts are joined along; kInvalidInput past 2^62 (parts without elements may
// have any dims).
void grow(const Call& call, int64_t& dim, int64_t by);

// An owned copy under other dims of equal count.
Tensor copied(const Call& call, const Tensor& source, Dims dims);
inline Tensor copied(const Call& call, const Tensor& source) {
  return copied(call, source, source.dims());
}

// index, counted from the back when negative; kData outside [-bound, bound).
int64_t normal_index(const Call& call, int64_t index, int64_t bound);

}  // namespace planish::reference
