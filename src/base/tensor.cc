#include "base/tensor.h"

#include <cstdlib>

#include "base/error.h"

namespace planish {
namespace {

constexpr size_t kAlignment = 64;  // a cache line, and enough for any vector load

}  // namespace

int64_t element_count(std::span<const int64_t> dims) {
  constexpr int64_t kLimit = int64_t{1} << 62;
  int64_t count = 1;
  bool empty = false;
  for (const int64_t d : dims) {
    if (d < 0) fail(ErrorCode::kInvalidModel, "shape {} has a negative dim", dims_to_string(dims));
    if (d == 0) {
      empty = true;
    } else if (count > kLimit / d) {
      fail(ErrorCode::kInvalidModel, "shape {} has more than 2^62 elements", dims_to_string(dims));
    } else {
      count *= d;
    }
  }
  return empty ? 0 : count;
}

int64_t byte_count(DType type, int64_t count) {
  int64_t bits = 0;
  if (__builtin_mul_overflow(count, int64_t{bit_width(type)}, &bits) || bits > INT64_MAX - 7) {
    fail(ErrorCode::kInvalidModel, "{} elements of {} need more than 2^60 bytes", count,
         to_string(type));
  }
  return (bits + 7) / 8;
}

std::string dims_to_string(std::span<const int64_t> dims) {
  if (dims.empty()) return "scalar";
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += 'x';
    text += std::to_string(dims[i]);
  }
  return text;
}

void Tensor::Free::operator()(std::byte* p) const { std::free(p); }

Tensor::Tensor(DType dtype, Dims dims)
    : dtype_(dtype), dims_(std::move(dims)), size_(element_count(dims_)) {
  if (dtype == DType::kString) {
    // A string costs 32 bytes even when empty.
    if (size_ > (int64_t{1} << 40))
      fail(ErrorCode::kOutOfMemory, "{} strings do not fit in memory", size_);
    try {
      strings_.resize(static_cast<size_t>(size_));
    } catch (const std::exception&) {
      fail(ErrorCode::kOutOfMemory, "no memory for {} strings", size_);
    }
    return;
  }
  const auto wanted = static_cast<size_t>(bytes());
  const size_t rounded = (wanted / kAlignment + 1) * kAlignment;
  auto* p = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
  if (p == nullptr) {
    fail(ErrorCode::kOutOfMemory, "no memory for a tensor of {} bytes ({} {})", wanted,
         to_string(dtype), dims_to_string(dims_));
  }
  std::memset(p, 0, rounded);
  owned_.reset(p);
  data_ = p;
}

Tensor Tensor::borrow(DType dtype, Dims dims, const void* data) {
  Tensor t;
  t.dtype_ = dtype;
  t.dims_ = std::move(dims);
  t.size_ = element_count(t.dims_);
  (void)t.bytes();  // refuses sizes that overflow
  t.data_ = static_cast<const std::byte*>(data);
  return t;
}

Tensor Tensor::from_strings(Dims dims, std::vector<std::string> strings) {
  Tensor t;
  t.dtype_ = DType::kString;
  t.dims_ = std::move(dims);
  t.size_ = element_count(t.dims_);
  if (t.size_ != static_cast<int64_t>(strings.size())) {
    fail(ErrorCode::kInvalidModel, "{} strings given for shape {}", strings.size(),
         dims_to_string(t.dims_));
  }
  t.strings_ = std::move(strings);
  return t;
}

Tensor::Tensor(const Tensor& other) { *this = other; }

Tensor& Tensor::operator=(const Tensor& other) {
  if (this == &other) return *this;
  if (other.owns()) {
    Tensor copy(other.dtype_, other.dims_);
    std::memcpy(copy.owned_.get(), other.data_, static_cast<size_t>(other.bytes()));
    *this = std::move(copy);
  } else {
    dtype_ = other.dtype_;
    dims_ = other.dims_;
    size_ = other.size_;
    data_ = other.data_;
    owned_.reset();
    strings_ = other.strings_;
  }
  return *this;
}

std::byte* Tensor::mutable_raw() {
  if (owned_ == nullptr)
    fail(ErrorCode::kInternal, "writing into a tensor that does not own its buffer");
  return owned_.get();
}

Tensor Tensor::aligned() const {
  if (dtype_ == DType::kString) return *this;
  if (reinterpret_cast<uintptr_t>(data_) % 8 == 0) return view();
  Tensor copy(dtype_, dims_);
  if (size_ > 0) std::memcpy(copy.owned_.get(), data_, static_cast<size_t>(bytes()));
  return copy;
}

Tensor Tensor::view() const {
  if (dtype_ == DType::kString) return *this;
  return borrow(dtype_, dims_, data_);
}

Tensor Tensor::reshaped(Dims dims) && {
  if (element_count(dims) != size_) {
    fail(ErrorCode::kInvalidModel, "cannot reshape {} elements ({}) to {}", size_,
         dims_to_string(dims_), dims_to_string(dims));
  }
  dims_ = std::move(dims);
  return std::move(*this);
}

void Tensor::check_access(DType want, size_t alignment) const {
  if (want != dtype_) {
    fail(ErrorCode::kInternal, "reading a {} tensor as {}", to_string(dtype_), to_string(want));
  }
  if (size_ > 0 && reinterpret_cast<uintptr_t>(data_) % alignment != 0) {
    fail(ErrorCode::kInternal, "typed access to a misaligned {} tensor (take aligned() first)",
         to_string(dtype_));
  }
}

}  // namespace planish
