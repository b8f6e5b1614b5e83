// Running a plan: a Context holds the state of one run at a time over a plan that many share.
//
//   Team team(2);
//   Context context(plan, registry, {.team = &team});
//   context.set_input(0, value);     // viewed, not copied: keep it until run() returns
//   context.run();                   // throws Error: what failed and in which node
//   const Value y = context.output(0);   // tensors are views, valid until the next run
//
// Threads: one context serves one run at a time; make one per concurrent request (they may share
// the plan, the registry and the team). cancel() may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "runtime/barrier.h"
#include "runtime/frame.h"
#include "runtime/team.h"

namespace planish::runtime {

struct ContextOptions {
  Team* team = nullptr;           // null: runs alone
  int64_t max_bytes = INT64_MAX;  // of intermediate values
  bool keep_denormals = false;
};

struct ContextStats {
  uint64_t runs = 0;
  uint64_t allocations = 0;  // buffers that had to grow, since the context was made
  int64_t held_bytes = 0;
};

class Control;

class Context {
 public:
  // Checks each step against its kernel. Throws kInvalidPlan.
  Context(const plan::Plan& plan, const Registry& registry, const ContextOptions& options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const plan::Plan& plan() const { return plan_; }
  void set_input(size_t index, const Value& value);
  void set_input(size_t index, const Tensor& tensor);
  // A temporary would be gone before the run.
  void set_input(size_t index, Value&& value) = delete;
  void set_input(size_t index, Tensor&& tensor) = delete;
  void set_input(size_t index, const void* data, DType dtype, std::span<const int64_t> dims);

  // Sizes and memory for the present inputs, without running.
  void bind();
  void run();
  Value output(size_t index) const;
  // After a run: outputs that came out with another shape than the model's file declares, a
  // sentence each. Their values are right; the declaration is not.
  std::vector<std::string> notes() const;

  void cancel() { state_.cancelled.store(true, std::memory_order_relaxed); }
  // From the start of each run; nothing: none.
  std::optional<std::chrono::nanoseconds> deadline;
  // Called by worker 0 after each step of the main program or of a body, when the step is done on
  // all workers (adds a barrier). For verification and layer-by-layer comparison; null in normal
  // runs.
  std::function<void(Frame&, uint32_t step)> on_step;

  ContextStats stats() const;
  Frame& frame(uint32_t program) { return *frames_[program]; }

 private:
  friend class Control;
  static void enter(void* self, int worker) noexcept;
  Status execute(uint32_t program, int worker) noexcept;
  Status before_step(Frame& frame, uint32_t i, int worker, Status mine) noexcept;
  Status copy(Frame& frame, const plan::Step& step) noexcept;
  // Runs f on this worker; an Error becomes a report and a Status.
  template <class F>
  Status guarded(const std::string& node, F&& f) noexcept;

  const plan::Plan& plan_;
  ContextOptions options_;
  RunState state_;
  Barrier barrier_;
  std::vector<std::unique_ptr<Frame>> frames_;  // one per program
  std::vector<std::vector<std::unique_ptr<Control>>>
      controls_;  // [program][step], null unless control flow
  Status result_ = Status::kOk;
  uint64_t runs_ = 0;
};

template <class F>
Status Context::guarded(const std::string& node, F&& f) noexcept {
  try {
    f();
    return Status::kOk;
  } catch (Error& e) {
    e.at_node(node);
    state_.report(e);
  } catch (const std::bad_alloc&) {
    return Status::kOutOfMemory;
  } catch (const std::exception& e) {
    state_.report(Error(ErrorCode::kInternal, e.what()).at_node(node));
  }
  return Status::kFailed;
}

}  // namespace planish::runtime
