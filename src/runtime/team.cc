#include "runtime/team.h"

#include "base/error.h"
#include "runtime/barrier.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace planish::runtime {

Team::Team(int workers) {
  if (workers < 1 || workers > 1024)
    fail(ErrorCode::kUsage, "a team of {} threads (1 to 1024 are possible)", workers);
  threads_.reserve(static_cast<size_t>(workers) - 1);
  for (int w = 1; w < workers; ++w) threads_.emplace_back([this, w] { work(w); });
}

Team::~Team() {
  task_ = nullptr;
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  for (auto& t : threads_) t.join();
}

void Team::run(Task task, void* argument) noexcept {
  if (!threads_.empty()) {
    task_ = task;
    argument_ = argument;
    running_.store(static_cast<uint32_t>(threads_.size()), std::memory_order_relaxed);
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
  }
  task(argument, 0);
  for (uint32_t left = running_.load(std::memory_order_acquire); !threads_.empty() && left != 0;) {
    left = wait_change(running_, left);
  }
}

void Team::work(int worker) noexcept {
  uint32_t epoch = 0;
  while (true) {
    epoch = wait_change(epoch_, epoch);
    if (task_ == nullptr) return;
    task_(argument_, worker);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
  }
}

// MXCSR bits: 15 flush results to zero, 6 treat denormal operands as zero.
FlushDenormals::FlushDenormals(bool on) noexcept : on_(on) {
#if defined(__x86_64__)
  if (on_) {
    saved_ = _mm_getcsr();
    _mm_setcsr(static_cast<uint32_t>(saved_) | 0x8040u);
  }
#elif defined(__aarch64__)
  if (on_) {
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    asm volatile("msr fpcr, %0" ::"r"(saved_ | (uint64_t{1} << 24)));
  }
#endif
}

FlushDenormals::~FlushDenormals() {
#if defined(__x86_64__)
  if (on_) _mm_setcsr(static_cast<uint32_t>(saved_));
#elif defined(__aarch64__)
  if (on_) asm volatile("msr fpcr, %0" ::"r"(saved_));
#endif
}

}  // namespace planish::runtime
