// A dense tensor in row-major order: dtype, dims and a buffer that it owns or borrows.
//
// Owned buffers are 64-byte aligned. Borrowed ones (initializers in a mapped file) may have any
// alignment: typed access through data<T>() needs alignment, so take aligned() first.
// Copying an owning tensor copies the elements; copying a borrowing one copies the view.
// Not thread safe for writing; any number of threads may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"

namespace planish {

using Dims = std::vector<int64_t>;

// Product of dims. Throws kInvalidModel when a dim is negative or the product passes 2^62.
int64_t element_count(std::span<const int64_t> dims);
// Bytes of `count` packed elements (sub-byte types rounded up). Strings count 0.
int64_t byte_count(DType type, int64_t count);
// "2x3x224" ; "scalar" for rank 0.
std::string dims_to_string(std::span<const int64_t> dims);

// Maps C++ element types to DType; narrow types add theirs in base/narrow.h.
template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::kFloat32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::kFloat64;
};
template <>
struct DTypeOf<int8_t> {
  static constexpr DType value = DType::kInt8;
};
template <>
struct DTypeOf<uint8_t> {
  static constexpr DType value = DType::kUint8;
};
template <>
struct DTypeOf<int16_t> {
  static constexpr DType value = DType::kInt16;
};
template <>
struct DTypeOf<uint16_t> {
  static constexpr DType value = DType::kUint16;
};
template <>
struct DTypeOf<int32_t> {
  static constexpr DType value = DType::kInt32;
};
template <>
struct DTypeOf<uint32_t> {
  static constexpr DType value = DType::kUint32;
};
template <>
struct DTypeOf<int64_t> {
  static constexpr DType value = DType::kInt64;
};
template <>
struct DTypeOf<uint64_t> {
  static constexpr DType value = DType::kUint64;
};
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::kBool;
};

class Tensor {
 public:
  Tensor() = default;  // kUndefined, rank 0, no data
  // Owned and zeroed (strings empty). Throws kOutOfMemory.
  Tensor(DType dtype, Dims dims);
  // A view: `data` must outlive the tensor and hold byte_count(dtype, elements) bytes.
  static Tensor borrow(DType dtype, Dims dims, const void* data);
  static Tensor from_strings(Dims dims, std::vector<std::string> strings);
  // From values: Tensor::of<float>({2}, {1.f, 2.f}).
  template <class T>
  static Tensor of(Dims dims, std::span<const T> values);
  template <class T>
  static Tensor of(Dims dims, std::initializer_list<T> values) {
    return of<T>(std::move(dims), std::span<const T>(values.begin(), values.size()));
  }
  template <class T>
  static Tensor scalar(T value) {
    return of<T>(Dims{}, std::span<const T>(&value, 1));
  }

  Tensor(const Tensor& other);
  Tensor& operator=(const Tensor& other);
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor&&) noexcept = default;
  ~Tensor() = default;

  DType dtype() const { return dtype_; }
  const Dims& dims() const { return dims_; }
  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t dim(int axis) const { return dims_[static_cast<size_t>(axis)]; }
  int64_t size() const { return size_; }                       // elements
  int64_t bytes() const { return byte_count(dtype_, size_); }  // packed bytes
  bool owns() const { return owned_ != nullptr; }

  const std::byte* raw() const { return data_; }
  std::byte* mutable_raw();  // kInternal when borrowed
  // Typed elements; kInternal when T does not match dtype or the buffer is misaligned.
  template <class T>
  std::span<const T> data() const {
    check_access(DTypeOf<T>::value, alignof(T));
    return {reinterpret_cast<const T*>(data_), static_cast<size_t>(size_)};
  }
  template <class T>
  std::span<T> mutable_data() {
    check_access(DTypeOf<T>::value, alignof(T));
    return {reinterpret_cast<T*>(mutable_raw()), static_cast<size_t>(size_)};
  }
  const std::vector<std::string>& strings() const { return strings_; }
  std::vector<std::string>& mutable_strings() { return strings_; }

  // Itself as a view when 64-bit aligned, else an owned copy.
  Tensor aligned() const;
  // A view of this tensor (must outlive it); strings are copied.
  Tensor view() const;
  // Same elements under other dims of equal count. Consumes: std::move(t).reshaped(...).
  Tensor reshaped(Dims dims) &&;
  Tensor reshaped(Dims dims) const& { return Tensor(*this).reshaped(std::move(dims)); }

 private:
  void check_access(DType want, size_t alignment) const;

  struct Free {
    void operator()(std::byte* p) const;
  };

  DType dtype_ = DType::kUndefined;
  Dims dims_;
  int64_t size_ = 0;
  const std::byte* data_ = nullptr;
  std::unique_ptr<std::byte[], Free> owned_;
  std::vector<std::string> strings_;
};

template <class T>
Tensor Tensor::of(Dims dims, std::span<const T> values) {
  Tensor t(DTypeOf<T>::value, std::move(dims));
  auto out = t.mutable_data<T>();
  for (size_t i = 0; i < out.size(); ++i) out[i] = values[i];
  return t;
}

}  // namespace planish
