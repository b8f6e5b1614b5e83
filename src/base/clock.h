// The clock as an interface, so that a test can decide what time it is.
#pragma once

#include <chrono>
#include <cstdint>

namespace planish {

class Clock {
 public:
  virtual ~Clock() = default;
  // Nanoseconds since some fixed moment; never goes back.
  virtual int64_t now_ns() const = 0;
};

class SteadyClock final : public Clock {
 public:
  int64_t now_ns() const override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

// Stands still until told otherwise.
class FakeClock final : public Clock {
 public:
  int64_t now_ns() const override { return now_; }
  void advance_ns(int64_t ns) { now_ += ns; }

 private:
  int64_t now_ = 0;
};

}  // namespace planish
