#include "runtime/executor.h"

#include "runtime/control.h"

namespace planish::runtime {

Context::Context(const plan::Plan& plan, const Registry& registry, const ContextOptions& options)
    : plan_(plan), options_(options) {
  state_.max_workers = options_.team == nullptr ? 1 : options_.team->workers();
  state_.max_bytes = options_.max_bytes;
  for (uint32_t p = 0; p < plan.programs.size(); ++p) {
    frames_.push_back(std::make_unique<Frame>(plan, p, registry, state_));
    auto& controls = controls_.emplace_back();
    for (const plan::Step& step : plan.programs[p].steps) {
      controls.push_back(make_control(plan, plan.programs[p], step));
    }
  }
}

Context::~Context() = default;

void Context::set_input(size_t index, const Value& value) {
  if (index >= plan_.inputs.size())
    fail(ErrorCode::kUsage, "input {} of {}", index, plan_.inputs.size());
  frames_[0]->bind_input(index, value);
}

void Context::set_input(size_t index,
                        const void* data,
                        DType dtype,
                        std::span<const int64_t> dims) {
  if (index >= plan_.inputs.size())
    fail(ErrorCode::kUsage, "input {} of {}", index, plan_.inputs.size());
  // Steps read inputs only; the common slot type is not const.
  frames_[0]->bind_input(index, static_cast<std::byte*>(const_cast<void*>(data)), dtype, dims);
}

void Context::set_input(size_t index, const Tensor& tensor) {
  if (tensor.dtype() != DType::kString) {
    set_input(index, tensor.raw(), tensor.dtype(), tensor.dims());
  } else {
    const Value copy(tensor);  // strings are copied by the frame
    set_input(index, copy);
  }
}

void Context::bind() { frames_[0]->bind(); }

void Context::run() {
  bind();
  Team* team = options_.team != nullptr && options_.team->try_lease() ? options_.team : nullptr;
  state_.workers = team == nullptr ? 1 : team->workers();
  state_.has_error = false;
  state_.cancelled.store(false, std::memory_order_relaxed);
  barrier_.reset(state_.workers);
  frames_[0]->begin_run();
  state_.end.reset();
  if (deadline) state_.end = std::chrono::steady_clock::now() + *deadline;
  if (team == nullptr) {
    enter(this, 0);
  } else {
    team->run(&Context::enter, this);
    team->release();
  }
  ++runs_;
  if (result_ == Status::kOk) return;
  if (state_.has_error) throw state_.error;
  fail(result_ == Status::kCancelled     ? ErrorCode::kCancelled
       : result_ == Status::kDeadline    ? ErrorCode::kDeadline
       : result_ == Status::kOutOfMemory ? ErrorCode::kOutOfMemory
                                         : ErrorCode::kData,
       "the run stopped: {}", to_string(result_));
}

Value Context::output(size_t index) const {
  if (index >= plan_.outputs.size())
    fail(ErrorCode::kUsage, "output {} of {}", index, plan_.outputs.size());
  return frames_[0]->value(plan_.programs[0].outputs[index]);
}

std::vector<std::string> Context::notes() const {
  std::vector<std::string> notes;
  for (size_t i = 0; i < plan_.outputs.size(); ++i) {
    const plan::Binding& binding = plan_.outputs[i];
    if (binding.declared.empty()) continue;
    const Value value = output(i);
    if (!value.is_tensor()) continue;
    const Dims& dims = value.tensor().dims();
    const Type found = Type::tensor(value.tensor().dtype(), Shape(dims.begin(), dims.end()));
    if (!contradicts(parse_type(binding.declared), found)) continue;
    notes.push_back(fmt::format("output '{}' is declared {}, came out as {}", binding.name,
                                binding.declared, to_string(found)));
  }
  return notes;
}

ContextStats Context::stats() const {
  return {runs_, state_.allocations.load(std::memory_order_relaxed),
          state_.held_bytes.load(std::memory_order_relaxed)};
}

void Context::enter(void* self, int worker) noexcept {
  auto& context = *static_cast<Context*>(self);
  const FlushDenormals flush(!context.options_.keep_denormals);
  const Status status = context.execute(0, worker);
  if (worker == 0) context.result_ = status;
}

// The meeting before step i: nobody starts before what it reads is there, and all leave together
// when somebody failed.
Status Context::before_step(Frame& frame, uint32_t i, int worker, Status mine) noexcept {
  if (worker == 0 && mine == Status::kOk) mine = state_.stopped();
  Status agreed = barrier_.arrive(mine);
  if (agreed != Status::kOk || !frame.late(i)) return agreed;
  if (worker == 0) {
    mine = guarded(frame.program().steps[i].name, [&] { frame.prepare_late(i); });
  }
  return barrier_.arrive(mine);
}

Status Context::execute(uint32_t program, int worker) noexcept {
  Frame& frame = *frames_[program];
  const plan::Program& p = frame.program();
  Status mine = Status::kOk;
  for (uint32_t i = 0; i < p.steps.size(); ++i) {
    const plan::Step& step = p.steps[i];
    Control* control = controls_[program][i].get();
    if (step.barrier || control != nullptr || frame.late(i)) {
      if (const Status agreed = before_step(frame, i, worker, mine); agreed != Status::kOk)
        return agreed;
    } else if (mine != Status::kOk) {
      continue;  // failed: idle until the next meeting
    }
    if (control != nullptr) {
      if (const Status agreed = control->run(*this, frame, i, worker); agreed != Status::kOk)
        return agreed;
    } else if (Step* runnable = frame.step(i); runnable != nullptr) {
      mine = runnable->run(frame.context(i), worker, state_.workers);
      if (mine != Status::kOk && mine != Status::kFailed) {
        const std::string_view why = to_string(mine);
        (void)guarded(step.name, [&] { fail(ErrorCode::kData, "{}", why); });
      }
    } else if (worker == 0) {
      mine = copy(frame, step);
    }
    if (on_step) {
      if (const Status agreed = barrier_.arrive(mine); agreed != Status::kOk) return agreed;
      if (worker == 0) mine = guarded(step.name, [&] { on_step(frame, i); });
      if (const Status agreed = barrier_.arrive(mine); agreed != Status::kOk) return agreed;
    }
  }
  if (!frame.late_outputs()) return barrier_.arrive(mine);
  // Nobody makes an output any more once all have met here.
  if (const Status agreed = barrier_.arrive(mine); agreed != Status::kOk) return agreed;
  if (worker == 0) mine = guarded(p.name, [&] { frame.end_run(); });
  return barrier_.arrive(mine);
}

Status Context::copy(Frame& frame, const plan::Step& step) noexcept {
  if (step.kernel == "wait") return frame.device(step.provider).wait();
  return guarded(step.name, [&] {
    const uint32_t from = step.inputs[0];
    const uint32_t to = step.outputs[0];
    SlotState& source = frame.slot(from);
    if (frame.late_slot(to)) frame.resize(to, source.dtype, frame.dims(from));
    SlotState& target = frame.slot(to);
    if (source.bytes != target.bytes)
      fail(ErrorCode::kInvalidPlan, "a copy of {} bytes into {}", source.bytes, target.bytes);
    if (source.bytes == 0) return;
    const auto bytes = static_cast<size_t>(source.bytes);
    if (frame.host_visible(from)) {
      frame.memory_of(to).copy_in(target.data, source.data, bytes);
    } else if (frame.host_visible(to)) {
      frame.memory_of(from).copy_out(target.data, source.data, bytes);
    } else {
      fail(ErrorCode::kInvalidPlan, "a copy from one device to another must go through the host");
    }
  });
}

}  // namespace planish::runtime
