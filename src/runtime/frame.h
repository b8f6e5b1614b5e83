// The state of one program while it runs: slots with addresses and dims, registers, buffers, steps.
//
// Life of a frame: bind_input() for each input, then bind() on one thread (sizes, arena, prepare),
// then execution by all workers (executor.h). Slots whose size only the run can tell are *late*:
// they are sized, and the steps that touch them prepared, by worker 0 right before the step.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "runtime/arena.h"
#include "runtime/host.h"
#include "runtime/step.h"

namespace planish::runtime {

// Shared by the frames of one context.
struct RunState {
  int workers = 1;                // of the present run
  int max_workers = 1;            // for which workspaces are sized
  int64_t max_bytes = INT64_MAX;  // of buffers that the context may hold
  std::atomic<int64_t> held_bytes{0};
  std::atomic<uint64_t> allocations{0};  // buffers that had to grow
  std::atomic<bool> cancelled{false};
  // When the present run has to end; nothing: no deadline.
  std::optional<std::chrono::steady_clock::time_point> end;
  std::atomic_flag reporting;  // guards the two below; first report wins
  bool has_error = false;
  Error error{ErrorCode::kInternal, ""};

  void report(const Error& e) noexcept;
  Status stopped() const noexcept;
};

struct SlotState {
  std::byte* data = nullptr;
  DType dtype = DType::kUndefined;
  Dims dims;
  int64_t bytes = 0;
  Value value;              // non-tensors, string tensors and dynamic results that were handed over
  bool in_value = false;    // `value` holds the content
  int64_t value_bytes = 0;  // that `value` counts for in RunState::held_bytes
  Buffer buffer;            // kDynamic
};

class Frame {
 public:
  Frame(const plan::Plan& plan, uint32_t program, const Registry& registry, RunState& state);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  const plan::Program& program() const { return program_; }
  const plan::Plan& plan() const { return plan_; }

  // The caller keeps the memory until the run has ended.
  void bind_input(size_t index, std::byte* data, DType dtype, std::span<const int64_t> dims);
  void bind_input(size_t index, const Value& value);  // tensors are viewed, not copied

  // Checks inputs against the plan, computes sizes, places the arena, prepares steps. Cheap when
  // nothing changed since the last call. Throws kInvalidInput naming the input with both types.
  void bind();

  // Worker 0, before step i when late(i): sizes that have become known, then prepare.
  void prepare_late(uint32_t step);
  bool late(uint32_t step) const { return late_[step]; }
  Step* step(uint32_t i) { return steps_[i].get(); }  // null for control, copy and wait steps
  StepContext& context(uint32_t i);
  // Values that steps handed over in the run before are gone then.
  void begin_run();
  // Whether an output is another view of a slot of late size, so that end_run() has work.
  bool late_outputs() const { return late_outputs_; }
  // Worker 0, after the last step: sizes and addresses of outputs that no step reads.
  void end_run();

  const SlotState& slot(uint32_t id) const { return slots_[resolve(id)]; }
  SlotState& slot(uint32_t id) { return slots_[resolve(id)]; }
  // Dims of a slot as such (an alias has its own).
  std::span<const int64_t> dims(uint32_t id) const { return slots_[id].dims; }
  SlotView view(uint32_t id);
  // The content as a Value: tensors are views into the frame.
  Value value(uint32_t id) const;
  bool host_visible(uint32_t id) const {
    return devices_[program_.slots[id].device]->memory().host_visible();
  }
  Memory& memory_of(uint32_t id) const { return devices_[program_.slots[id].device]->memory(); }
  Device& device(uint32_t provider) const { return *devices_[provider]; }
  // Sized by its step at run time.
  bool late_slot(uint32_t id) const {
    return program_.slots[id].storage == plan::Storage::kDynamic;
  }

  SlotView resize(uint32_t id, DType dtype, std::span<const int64_t> dims);
  void assign(uint32_t id, Value value);
  RunState& state() { return state_; }

 private:
  class Context;
  struct Placement {
    std::vector<ArenaPlan> per_device;
  };

  uint32_t resolve(uint32_t id) const {
    while (program_.slots[id].storage == plan::Storage::kAlias) id = program_.slots[id].alias_of;
    return id;
  }
  void check_inputs();
  void run_sizes(uint32_t after_step);
  void define(const plan::Symbol& symbol);
  void execute(const plan::SizeProgram& sizes);
  int64_t dim_value(const plan::Dim& d) const {
    return d.reg == plan::kNone ? d.constant : registers_[d.reg];
  }
  bool known(const plan::Dim& d) const { return d.reg == plan::kNone || set_[d.reg]; }
  void set_dims(uint32_t id);
  void place_arena();
  void refresh_alias(uint32_t id);
  void refresh_aliases(uint32_t id);
  void reserve(Buffer& buffer, int64_t bytes);
  // Counts `bytes` more (or, negative, fewer) as held; throws kOutOfMemory beyond the limit.
  void hold(int64_t bytes);
  void drop_value(SlotState& slot);
  [[noreturn]] void input_mismatch(size_t index, const std::string& why) const;

  const plan::Plan& plan_;
  const plan::Program& program_;
  RunState& state_;
  std::vector<Device*> devices_;  // by plan provider index
  std::vector<SlotState> slots_;
  std::vector<int64_t> registers_;
  std::vector<bool> set_;       // registers that hold a value in this run
  std::vector<Buffer> arenas_;  // one per provider
  std::vector<std::unique_ptr<Step>> steps_;
  std::vector<std::unique_ptr<Context>> contexts_;
  std::vector<bool> late_;
  bool late_outputs_ = false;
  // Definitions (symbols and size programs) by the step after which they run.
  std::vector<std::vector<uint32_t>> symbols_after_,
      sizes_after_;                    // index 0: bind, i + 1: after step i
  std::vector<uint32_t> handed_over_;  // slots with a `value` of a step
  uint32_t next_size_ = 0;             // first step whose definitions have not run yet
  bool inputs_changed_ = true;         // dims or addresses
  bool dims_changed_ = true;
  std::map<std::vector<int64_t>, Placement> placements_;  // by dims of all inputs
};

}  // namespace planish::runtime
