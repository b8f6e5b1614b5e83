// A team of workers that contexts share. A run leases the team; when it is taken, the run goes
// alone on its own thread, with the same bits as result.
//
// Thread safety: try_lease() and release() from any thread; run() only by the holder of the lease.
// Between runs the workers spin for a bounded time and then park: an idle team burns nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace planish::runtime {

class Team {
 public:
  // workers >= 1, the calling thread included: workers - 1 threads are started.
  explicit Team(int workers);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int workers() const { return static_cast<int>(threads_.size()) + 1; }

  bool try_lease() noexcept { return !leased_.exchange(true, std::memory_order_acquire); }
  void release() noexcept { leased_.store(false, std::memory_order_release); }

  // Calls task(argument, worker) on every worker, worker 0 on the calling thread; returns when all
  // have. The task must not throw.
  using Task = void (*)(void* argument, int worker) noexcept;
  void run(Task task, void* argument) noexcept;

 private:
  void work(int worker) noexcept;

  std::vector<std::thread> threads_;
  std::atomic<bool> leased_{false};
  Task task_ = nullptr;  // null: leave
  void* argument_ = nullptr;
  alignas(64) std::atomic<uint32_t> epoch_{0};
  alignas(64) std::atomic<uint32_t> running_{0};
};

// While alive, denormals are flushed to zero on this thread (results and operands); the former mode
// comes back at the end. A no-op when `on` is false or the machine has no such mode.
class FlushDenormals {
 public:
  explicit FlushDenormals(bool on) noexcept;
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  bool on_;
  uint64_t saved_ = 0;
};

}  // namespace planish::runtime
