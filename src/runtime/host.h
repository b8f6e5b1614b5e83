// The host's memory and device, and a grow-only buffer in any provider's memory.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/step.h"

namespace planish::runtime {

// Plain memory, 64-byte aligned at least. Thread safe.
class HostMemory final : public Memory {
 public:
  std::byte* allocate(size_t bytes, size_t alignment) override;
  void free(std::byte* p) noexcept override;
  void copy_in(std::byte* device, const std::byte* host, size_t bytes) override;
  void copy_out(std::byte* host, const std::byte* device, size_t bytes) override;
  bool host_visible() const override { return true; }
};

class HostDevice final : public Device {
 public:
  explicit HostDevice(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  Memory& memory() override { return memory_; }

 private:
  std::string name_;
  HostMemory memory_;
};

// Keeps the largest size asked for so far; growing throws the content away.
class Buffer {
 public:
  explicit Buffer(Memory* memory = nullptr) : memory_(memory) {}
  ~Buffer() { drop(); }
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  std::byte* data() const { return data_; }
  int64_t capacity() const { return capacity_; }
  // Returns whether it had to allocate. Throws kOutOfMemory.
  bool reserve(int64_t bytes);

 private:
  void drop() noexcept;

  Memory* memory_;
  std::byte* data_ = nullptr;
  int64_t capacity_ = 0;
};

}  // namespace planish::runtime
