#include "runtime/host.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace planish::runtime {

std::byte* HostMemory::allocate(size_t bytes, size_t alignment) {
  alignment = std::max<size_t>(alignment, 64);
  const size_t rounded = (bytes / alignment + 1) * alignment;
  auto* p = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
  if (p == nullptr)
    fail(ErrorCode::kOutOfMemory, "no memory for {} bytes of intermediate values", bytes);
  return p;
}

void HostMemory::free(std::byte* p) noexcept { std::free(p); }
void HostMemory::copy_in(std::byte* device, const std::byte* host, size_t bytes) {
  std::memcpy(device, host, bytes);
}
void HostMemory::copy_out(std::byte* host, const std::byte* device, size_t bytes) {
  std::memcpy(host, device, bytes);
}

Buffer::Buffer(Buffer&& other) noexcept
    : memory_(other.memory_),
      data_(std::exchange(other.data_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(data_, other.data_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

bool Buffer::reserve(int64_t bytes) {
  if (data_ != nullptr && bytes <= capacity_) return false;
  drop();
  data_ = memory_->allocate(static_cast<size_t>(bytes), 64);
  capacity_ = bytes;
  return true;
}

void Buffer::drop() noexcept {
  if (data_ != nullptr) memory_->free(data_);
  data_ = nullptr;
  capacity_ = 0;
}

}  // namespace planish::runtime
