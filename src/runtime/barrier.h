// A barrier that also agrees on a status, so that every worker leaves a failed run at the same
// place.
//
// Waiting spins for a bounded time (hand-off 0.1-0.2 us) and then parks on a futex (25-30 us to
// wake, but no core burnt).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/error.h"

namespace planish::runtime {

// Tells the core that this is a spin loop.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins of about 40 cycles each before parking: roughly 100 us, longer than any barrier of balanced
// work and shorter than a scheduler's time slice.
inline constexpr int kSpins = 8000;

// Waits until value differs from `old`; returns the new value.
inline uint32_t wait_change(const std::atomic<uint32_t>& value, uint32_t old) noexcept {
  for (int i = 0; i < kSpins; ++i) {
    const uint32_t now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    relax();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

class Barrier {
 public:
  // Not while workers are inside.
  void reset(int workers) {
    workers_ = workers;
    count_.store(0, std::memory_order_relaxed);
    pending_.store(0, std::memory_order_relaxed);
  }

  // Hands in this worker's status; returns, to all alike, the first failure that any of them handed
  // in since reset (kOk when there was none).
  Status arrive(Status mine) noexcept {
    if (mine != Status::kOk) {
      int32_t none = 0;
      pending_.compare_exchange_strong(none, static_cast<int32_t>(mine), std::memory_order_acq_rel);
    }
    if (workers_ == 1) return static_cast<Status>(pending_.load(std::memory_order_relaxed));
    const uint32_t generation = generation_.load(std::memory_order_acquire);
    if (count_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers_) {
      count_.store(0, std::memory_order_relaxed);
      // Two fields in turn: the next barrier but one cannot end before all have read this one.
      agreed_[generation & 1].store(pending_.load(std::memory_order_acquire),
                                    std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      generation_.notify_all();
    } else {
      wait_change(generation_, generation);
    }
    return static_cast<Status>(agreed_[generation & 1].load(std::memory_order_relaxed));
  }

 private:
  int workers_ = 1;
  alignas(64) std::atomic<int> count_{0};
  alignas(64) std::atomic<uint32_t> generation_{0};
  alignas(64) std::atomic<int32_t> pending_{0};
  std::atomic<int32_t> agreed_[2] = {0, 0};
};

}  // namespace planish::runtime
