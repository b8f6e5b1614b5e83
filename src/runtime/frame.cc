#include "runtime/frame.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/type.h"

namespace planish::runtime {

using plan::kNone;
using plan::Storage;

void RunState::report(const Error& e) noexcept {
  while (reporting.test_and_set(std::memory_order_acquire)) {
  }
  if (!has_error) {
    has_error = true;
    try {
      error = e;
    } catch (...) {  // no memory for the text: the code must do
    }
  }
  reporting.clear(std::memory_order_release);
}

Status RunState::stopped() const noexcept {
  if (cancelled.load(std::memory_order_relaxed)) return Status::kCancelled;
  if (end && std::chrono::steady_clock::now() > *end) return Status::kDeadline;
  return Status::kOk;
}

namespace {

// What a value that a step handed over takes.
int64_t bytes_of(const Value& value) {
  const auto tensor = [](const Tensor& t) {
    if (t.dtype() != DType::kString) return t.bytes();
    auto bytes = t.size() * static_cast<int64_t>(sizeof(std::string));
    for (const std::string& s : t.strings()) bytes += static_cast<int64_t>(s.size());
    return bytes;
  };
  if (value.is_tensor()) return tensor(value.tensor());
  if (value.is_map()) return tensor(value.map().keys) + tensor(value.map().values);
  int64_t bytes = 0;
  if (value.is_sequence()) {
    for (const Value& v : value.sequence()) {
      bytes += static_cast<int64_t>(sizeof(Value)) + bytes_of(v);
    }
  }
  return bytes;
}

}  // namespace

// What a step sees: the frame through its own lists of slots.
class Frame::Context final : public StepContext {
 public:
  Context(Frame& frame, uint32_t index) : frame_(frame), step_(frame.program_.steps[index]) {}

  const plan::Step& step() const override { return step_; }
  bool has_input(size_t i) const override {
    return i < step_.inputs.size() && step_.inputs[i] != kNone;
  }
  bool has_output(size_t i) const override {
    return i < step_.outputs.size() && step_.outputs[i] != kNone;
  }
  SlotView input(size_t i) const override { return frame_.view(step_.inputs[i]); }
  SlotView output(size_t i) const override { return frame_.view(step_.outputs[i]); }
  SlotView workspace(size_t i) const override { return frame_.view(step_.workspaces[i]); }
  SlotView resize_output(size_t i, DType dtype, std::span<const int64_t> dims) override {
    return frame_.resize(step_.outputs[i], dtype, dims);
  }
  void set_output(size_t i, Value value) override {
    frame_.assign(step_.outputs[i], std::move(value));
  }
  int workers() const override { return frame_.state_.max_workers; }
  void report(const Error& error) noexcept override {
    try {
      Error named = error;
      named.at_node(step_.name);
      frame_.state_.report(named);
    } catch (...) {
      frame_.state_.report(error);
    }
  }
  Status stopped() const noexcept override { return frame_.state_.stopped(); }
  int64_t memory_left() const override {
    const RunState& state = frame_.state_;
    return std::max<int64_t>(state.max_bytes - state.held_bytes.load(std::memory_order_relaxed), 0);
  }

 private:
  Frame& frame_;
  const plan::Step& step_;
};

Frame::Frame(const plan::Plan& plan, uint32_t program, const Registry& registry, RunState& state)
    : plan_(plan), program_(plan.programs[program]), state_(state) {
  for (const std::string& name : plan.providers) {
    Device* device = registry.device(name);
    if (device == nullptr) {
      fail(ErrorCode::kInvalidPlan,
           "the plan needs the provider '{}', which this build does not have", name);
    }
    devices_.push_back(device);
    arenas_.emplace_back(&device->memory());
  }
  slots_.resize(program_.slots.size());
  for (uint32_t s = 0; s < slots_.size(); ++s) {
    const plan::Slot& slot = program_.slots[s];
    slots_[s].dtype = slot.dtype;
    slots_[s].buffer = Buffer(&devices_[slot.device]->memory());
    slots_[s].dims.reserve(slot.dims.size());
    if (slot.storage != Storage::kConstant) continue;
    for (const auto& d : slot.dims) slots_[s].dims.push_back(d.constant);
    slots_[s].bytes = static_cast<int64_t>(slot.bytes);
    auto it = std::ranges::lower_bound(plan.weights, slot.offset, {}, &plan::Weight::offset);
    // An empty constant may share its offset with the next one.
    if (it != plan.weights.end() && it->data.bytes() < slots_[s].bytes) ++it;
    if (it == plan.weights.end() || it->offset != slot.offset ||
        it->data.bytes() != slots_[s].bytes) {
      fail(ErrorCode::kInvalidPlan, "the weights of slot '{}' are missing", slot.name);
    }
    // Kernels take constants through const pointers; nothing writes through this one.
    slots_[s].data = const_cast<std::byte*>(it->data.raw());
    if (!devices_[slot.device]->memory().host_visible()) {
      reserve(slots_[s].buffer, slots_[s].bytes);
      devices_[slot.device]->memory().copy_in(slots_[s].buffer.data(), slots_[s].data, slot.bytes);
      slots_[s].data = slots_[s].buffer.data();
    }
  }
  registers_.assign(program_.registers, 0);
  set_.assign(program_.registers, false);

  const auto count = static_cast<uint32_t>(program_.steps.size());
  symbols_after_.resize(count + 1);
  sizes_after_.resize(count + 1);
  for (uint32_t i = 0; i < program_.symbols.size(); ++i) {
    symbols_after_[program_.symbols[i].after_step + 1].push_back(i);  // kNone + 1 == 0
  }
  for (uint32_t i = 0; i < program_.sizes.size(); ++i) {
    sizes_after_[program_.sizes[i].after_step + 1].push_back(i);
  }

  late_outputs_ = std::ranges::any_of(program_.outputs, [&](uint32_t s) {
    return program_.slots[s].storage == Storage::kAlias &&
           program_.slots[resolve(s)].storage == Storage::kDynamic;
  });
  late_.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    const plan::Step& step = program_.steps[i];
    contexts_.push_back(std::make_unique<Context>(*this, i));
    steps_.push_back(nullptr);
    const auto is_dynamic = [&](uint32_t s) {
      return s != kNone && program_.slots[resolve(s)].storage == Storage::kDynamic;
    };
    late_[i] = std::ranges::any_of(step.inputs, is_dynamic) ||
               std::ranges::any_of(step.outputs, is_dynamic);
    if (step.kernel.starts_with("control.") || step.kernel == "copy" || step.kernel == "wait")
      continue;
    const StepKernel* kernel = registry.find(step.kernel);
    if (kernel == nullptr) {
      fail(ErrorCode::kInvalidPlan,
           "step '{}' needs the kernel '{}', which this build does not have; build the plan again",
           step.name, step.kernel);
    }
    if (kernel->version != step.version) {
      fail(ErrorCode::kInvalidPlan,
           "step '{}' is written for version {} of the kernel '{}', this build has version {}; "
           "build the plan again",
           step.name, step.version, step.kernel, kernel->version);
    }
    if (kernel->check != nullptr) kernel->check(plan, program_, step);
    steps_.back() = kernel->make(plan, program_, step);
  }
}

Frame::~Frame() = default;

StepContext& Frame::context(uint32_t i) { return *contexts_[i]; }

void Frame::reserve(Buffer& buffer, int64_t bytes) {
  const int64_t before = buffer.capacity();
  if (buffer.data() != nullptr && bytes <= before) return;
  hold(bytes - before);
  try {
    buffer.reserve(bytes);
  } catch (...) {
    hold(before - bytes);
    throw;
  }
  state_.allocations.fetch_add(1, std::memory_order_relaxed);
}

void Frame::hold(int64_t bytes) {
  const int64_t held = state_.held_bytes.load(std::memory_order_relaxed);
  if (bytes > state_.max_bytes - held) {
    fail(ErrorCode::kOutOfMemory,
         "intermediate values need {} bytes beside {} held already; the limit is {} (raise "
         "--max-memory)",
         bytes, held, state_.max_bytes);
  }
  state_.held_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void Frame::drop_value(SlotState& slot) {
  slot.value = {};
  hold(-std::exchange(slot.value_bytes, 0));
}

void Frame::begin_run() {
  next_size_ = 0;
  for (const uint32_t id : handed_over_) drop_value(slots_[id]);
  handed_over_.clear();
}

void Frame::bind_input(size_t index, std::byte* data, DType dtype, std::span<const int64_t> dims) {
  SlotState& slot = slots_[program_.inputs[index]];
  if (slot.data != data || slot.in_value) inputs_changed_ = true;
  if (slot.dtype != dtype || !std::ranges::equal(slot.dims, dims))
    inputs_changed_ = dims_changed_ = true;
  slot.data = data;
  slot.dtype = dtype;
  slot.dims.assign(dims.begin(), dims.end());
  slot.bytes = byte_count(dtype, element_count(dims));
  slot.in_value = false;
}

void Frame::bind_input(size_t index, const Value& value) {
  if (value.is_tensor() && value.tensor().dtype() != DType::kString) {
    const Tensor& t = value.tensor();
    bind_input(index, const_cast<std::byte*>(t.raw()), t.dtype(), t.dims());
    return;
  }
  SlotState& slot = slots_[program_.inputs[index]];
  inputs_changed_ = dims_changed_ = true;
  slot.value = value;
  slot.in_value = true;
  slot.data = nullptr;
  slot.bytes = 0;
  slot.dims.clear();
  if (value.is_tensor()) {
    slot.dtype = DType::kString;
    slot.dims = value.tensor().dims();
  }
}

void Frame::input_mismatch(size_t index, const std::string& why) const {
  const uint32_t id = program_.inputs[index];
  const SlotState& given = slots_[id];
  const bool main = &program_ == plan_.programs.data();
  const std::string name = main ? plan_.inputs[index].name : program_.slots[id].name;
  fail(ErrorCode::kInvalidInput, "input '{}'{}: given {} of shape [{}]: {}", name,
       main ? " expects " + plan_.inputs[index].type : "", to_string(given.dtype),
       fmt::join(given.dims, ", "), why);
}

void Frame::check_inputs() {
  for (size_t i = 0; i < program_.inputs.size(); ++i) {
    const uint32_t id = program_.inputs[i];
    const plan::Slot& want = program_.slots[id];
    const SlotState& given = slots_[id];
    if (want.kind != plan::SlotKind::kTensor) {
      const bool fits = want.kind == plan::SlotKind::kOptional ||
                        (given.in_value &&
                         ((want.kind == plan::SlotKind::kSequence && given.value.is_sequence()) ||
                          (want.kind == plan::SlotKind::kMap && given.value.is_map())));
      if (!fits) input_mismatch(i, "it is of another kind");
      continue;
    }
    if (given.in_value && !given.value.is_tensor()) input_mismatch(i, "it is no tensor");
    if (given.dtype != want.dtype)
      input_mismatch(i, fmt::format("the element type must be {}", to_string(want.dtype)));
    if (given.data == nullptr && !given.in_value && given.bytes > 0)
      input_mismatch(i, "no data is bound");
    if (!want.ranked) continue;
    if (given.dims.size() != want.dims.size())
      input_mismatch(i, fmt::format("the rank must be {}", want.dims.size()));
    for (size_t d = 0; d < want.dims.size(); ++d) {
      if (want.dims[d].reg == kNone && given.dims[d] != want.dims[d].constant) {
        input_mismatch(i, fmt::format("dim {} must be {}", d, want.dims[d].constant));
      }
    }
  }
}

void Frame::define(const plan::Symbol& symbol) {
  const SlotState& from = slots_[symbol.slot];
  int64_t value = 0;
  if (symbol.content) {
    const SlotState& content = slots_[resolve(symbol.slot)];
    const int64_t count = element_count(from.dims);
    const std::byte* data = content.in_value ? content.value.tensor().raw() : content.data;
    if (symbol.index >= count)
      fail(ErrorCode::kInvalidPlan, "symbol '{}' reads element {} of {}", symbol.name, symbol.index,
           count);
    if (content.dtype == DType::kInt64) {
      std::memcpy(&value, data + symbol.index * 8, 8);
    } else {
      int32_t narrow = 0;
      std::memcpy(&narrow, data + symbol.index * 4, 4);
      value = narrow;
    }
  } else {
    const Dims& dims = from.dims;
    if (symbol.index >= dims.size())
      fail(ErrorCode::kInvalidInput, "'{}' has rank {}, not over {}",
           program_.slots[symbol.slot].name, dims.size(), symbol.index);
    value = dims[symbol.index];
  }
  if (value < symbol.min || value > symbol.max) {
    fail(ErrorCode::kInvalidInput,
         "dim '{}' is {}; the plan is built for {} to {} (build again with other "
         "--minShapes/--maxShapes)",
         symbol.name, value, symbol.min, symbol.max);
  }
  registers_[symbol.reg] = value;
  set_[symbol.reg] = true;
}

void Frame::execute(const plan::SizeProgram& sizes) {
  const auto checked = [](bool overflow) {
    if (overflow)
      fail(ErrorCode::kInvalidInput, "a size overflows 64 bits with these input shapes");
  };
  for (const plan::SizeInstr& i : sizes.code) {
    const int64_t a = i.op == plan::SizeOp::kConst ? 0 : registers_[i.a];
    const int64_t b = i.op == plan::SizeOp::kConst ? 0 : registers_[i.b];
    int64_t r = 0;
    switch (i.op) {
      case plan::SizeOp::kConst:
        r = i.imm;
        break;
      case plan::SizeOp::kAdd:
        checked(__builtin_add_overflow(a, b, &r));
        break;
      case plan::SizeOp::kSub:
        checked(__builtin_sub_overflow(a, b, &r));
        break;
      case plan::SizeOp::kMul:
        checked(__builtin_mul_overflow(a, b, &r));
        break;
      case plan::SizeOp::kMin:
        r = std::min(a, b);
        break;
      case plan::SizeOp::kMax:
        r = std::max(a, b);
        break;
      case plan::SizeOp::kFloorDiv:
      case plan::SizeOp::kCeilDiv:
      case plan::SizeOp::kMod: {
        if (b == 0)
          fail(ErrorCode::kInvalidInput, "a size is divided by zero with these input shapes");
        checked(a == INT64_MIN && b == -1);
        const int64_t q = a / b;
        const bool inexact = a % b != 0;
        const bool negative = (a < 0) != (b < 0);
        const int64_t floor = inexact && negative ? q - 1 : q;
        r = i.op == plan::SizeOp::kFloorDiv ? floor
            : i.op == plan::SizeOp::kMod    ? a - floor * b
                                            : (inexact && !negative ? q + 1 : q);
        break;
      }
    }
    registers_[i.dst] = r;
    set_[i.dst] = true;
  }
}

void Frame::run_sizes(uint32_t index) {
  for (const uint32_t s : symbols_after_[index]) define(program_.symbols[s]);
  for (const uint32_t s : sizes_after_[index]) execute(program_.sizes[s]);
}

void Frame::set_dims(uint32_t id) {
  const plan::Slot& slot = program_.slots[id];
  SlotState& state = slots_[id];
  state.dims.resize(slot.dims.size());
  for (size_t d = 0; d < slot.dims.size(); ++d) {
    state.dims[d] = dim_value(slot.dims[d]);
    if (state.dims[d] < 0)
      fail(ErrorCode::kInvalidInput,
           "value '{}' would have the negative dim {} with these input shapes", slot.name,
           state.dims[d]);
  }
  try {
    state.bytes = byte_count(slot.dtype, element_count(state.dims));
  } catch (const Error& e) {
    fail(ErrorCode::kOutOfMemory, "value '{}': {}", slot.name, e.message());
  }
}

void Frame::place_arena() {
  std::vector<int64_t> key;
  for (const uint32_t s : program_.inputs) {
    key.push_back(static_cast<int64_t>(slots_[s].dims.size()));
    key.insert(key.end(), slots_[s].dims.begin(), slots_[s].dims.end());
  }
  std::vector<std::vector<uint32_t>> members(devices_.size());
  for (uint32_t s = 0; s < slots_.size(); ++s) {
    const plan::Slot& slot = program_.slots[s];
    if (slot.storage != Storage::kArena) continue;
    set_dims(s);
    members[slot.device].push_back(s);
  }
  constexpr size_t kKeptPlacements = 64;  // shapes in turn; a placement is a few KB
  auto it = placements_.find(key);
  if (it == placements_.end()) {
    Placement placement;
    for (const auto& list : members) {
      std::vector<ArenaItem> items;
      for (const uint32_t s : list) {
        items.push_back(
            {slots_[s].bytes, program_.slots[s].first_step, program_.slots[s].last_step});
      }
      placement.per_device.push_back(place(items));
    }
    if (placements_.size() >= kKeptPlacements) placements_.erase(placements_.begin());
    it = placements_.emplace(std::move(key), std::move(placement)).first;
  }
  for (size_t d = 0; d < members.size(); ++d) {
    const ArenaPlan& placed = it->second.per_device[d];
    reserve(arenas_[d], placed.bytes);
    for (size_t i = 0; i < members[d].size(); ++i)
      slots_[members[d][i]].data = arenas_[d].data() + placed.offsets[i];
  }
}

void Frame::refresh_alias(uint32_t id) {
  const plan::Slot& slot = program_.slots[id];
  const SlotState& base = slots_[resolve(id)];
  SlotState& state = slots_[id];
  if (slot.ranked && std::ranges::all_of(slot.dims, [&](const auto& d) { return known(d); })) {
    set_dims(id);
  } else {
    state.dims = base.dims;
    state.bytes = base.bytes;
  }
  state.data = base.data;
  state.dtype = base.dtype;
  if (element_count(state.dims) != element_count(base.dims)) {
    fail(ErrorCode::kInvalidInput, "value '{}' of shape [{}] cannot be seen as [{}]", slot.name,
         fmt::join(base.dims, ", "), fmt::join(state.dims, ", "));
  }
}

void Frame::bind() {
  if (!inputs_changed_) return;
  if (dims_changed_) {
    check_inputs();
    std::fill(set_.begin(), set_.end(), false);
    run_sizes(0);
    // The same symbol or an expression in several dims must agree with what was given.
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      const uint32_t id = program_.inputs[i];
      const plan::Slot& want = program_.slots[id];
      for (size_t d = 0; d < want.dims.size(); ++d) {
        if (want.dims[d].reg == kNone || !set_[want.dims[d].reg]) continue;
        if (slots_[id].dims[d] != registers_[want.dims[d].reg]) {
          input_mismatch(i, fmt::format("dim {} must be {}, as another input says", d,
                                        registers_[want.dims[d].reg]));
        }
      }
    }
    place_arena();
  }
  for (uint32_t s = 0; s < slots_.size(); ++s) {
    if (program_.slots[s].storage == Storage::kAlias &&
        program_.slots[resolve(s)].storage != Storage::kDynamic)
      refresh_alias(s);
  }
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    if (late_[i] || steps_[i] == nullptr) continue;
    try {
      steps_[i]->prepare(*contexts_[i]);
    } catch (Error& e) {
      e.at_node(program_.steps[i].name);
      throw;
    }
  }
  inputs_changed_ = dims_changed_ = false;
}

void Frame::prepare_late(uint32_t index) {
  for (; next_size_ < index; ++next_size_) run_sizes(next_size_ + 1);
  const plan::Step& step = program_.steps[index];
  for (const uint32_t s : step.inputs) {
    if (s != kNone) refresh_aliases(s);
  }
  const bool sizes_itself = steps_[index] == nullptr || steps_[index]->dynamic();
  for (const uint32_t s : step.outputs) {
    if (s == kNone || sizes_itself || program_.slots[s].storage != Storage::kDynamic) continue;
    const plan::Slot& slot = program_.slots[s];
    for (const auto& d : slot.dims) {
      if (!slot.ranked || !known(d))
        fail(ErrorCode::kInvalidPlan, "step '{}' cannot know the size of its output '{}'",
             step.name, slot.name);
    }
    set_dims(s);
    const Dims dims = slots_[s].dims;
    resize(s, slot.dtype, dims);
  }
  if (steps_[index] != nullptr) steps_[index]->prepare(*contexts_[index]);
}

void Frame::refresh_aliases(uint32_t id) {
  // Along the chain, the base first. Not by recursion: a plan may hold long chains.
  std::vector<uint32_t> chain;
  for (; program_.slots[id].storage == Storage::kAlias; id = program_.slots[id].alias_of) {
    chain.push_back(id);
  }
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) refresh_alias(*it);
}

void Frame::end_run() {
  for (; next_size_ < steps_.size(); ++next_size_) run_sizes(next_size_ + 1);
  for (const uint32_t s : program_.outputs) refresh_aliases(s);
}

SlotView Frame::view(uint32_t id) {
  const uint32_t base = resolve(id);
  SlotState& content = slots_[base];
  const SlotState& shape = slots_[id];
  SlotView v;
  v.dtype = content.dtype;
  v.layout = &program_.slots[id].layout;
  v.dims = shape.dims;
  v.bytes = shape.bytes;
  v.data = content.data;
  if (content.in_value) v.value = &content.value;
  return v;
}

Value Frame::value(uint32_t id) const {
  const SlotState& content = slots_[resolve(id)];
  const Dims& dims = slots_[id].dims;
  if (!content.in_value) return Tensor::borrow(content.dtype, dims, content.data);
  if (!content.value.is_tensor()) return content.value;
  Tensor t = content.value.tensor().view();
  return dims == t.dims() ? std::move(t) : std::move(t).reshaped(dims);
}

SlotView Frame::resize(uint32_t id, DType dtype, std::span<const int64_t> dims) {
  SlotState& slot = slots_[id];
  const plan::Slot& declared = program_.slots[id];
  if (declared.storage != Storage::kDynamic)
    fail(ErrorCode::kInternal, "slot '{}' has a fixed size", declared.name);
  if (dtype != declared.dtype) {
    fail(ErrorCode::kInvalidModel, "value '{}' came out as {}, but the model says {}",
         declared.name, to_string(dtype), to_string(declared.dtype));
  }
  const int64_t bytes = byte_count(dtype, element_count(dims));
  reserve(slot.buffer, bytes);
  if (slot.dims.data() != dims.data()) slot.dims.assign(dims.begin(), dims.end());
  slot.dtype = dtype;
  slot.bytes = bytes;
  slot.data = slot.buffer.data();
  slot.in_value = false;
  return view(id);
}

void Frame::assign(uint32_t id, Value value) {
  SlotState& slot = slots_[id];
  const plan::Slot& declared = program_.slots[id];
  const bool plain = value.is_tensor() && value.tensor().dtype() != DType::kString;
  if (plain && (!value.tensor().owns() || !devices_[declared.device]->memory().host_visible())) {
    // A view would dangle: keep a copy.
    const Tensor& t = value.tensor();
    resize(id, t.dtype(), t.dims());
    if (t.bytes() > 0)
      devices_[declared.device]->memory().copy_in(slot.data, t.raw(),
                                                  static_cast<size_t>(t.bytes()));
    return;
  }
  if (value.is_tensor() && declared.kind == plan::SlotKind::kTensor &&
      value.tensor().dtype() != declared.dtype) {
    fail(ErrorCode::kInvalidModel, "value '{}' came out as {}, but the model says {}",
         declared.name, to_string(value.tensor().dtype()), to_string(declared.dtype));
  }
  // What a step made may view its inputs, whose memory others will take.
  value = owned(std::move(value));
  drop_value(slot);
  const int64_t bytes = bytes_of(value);
  hold(bytes);
  handed_over_.push_back(id);
  slot.value_bytes = bytes;
  slot.value = std::move(value);
  slot.in_value = true;
  slot.data = nullptr;
  slot.dims.clear();
  slot.bytes = 0;
  if (slot.value.is_tensor()) {
    const Tensor& t = slot.value.tensor();
    slot.dtype = t.dtype();
    slot.dims = t.dims();
    slot.bytes = t.bytes();
    slot.data = t.dtype() == DType::kString ? nullptr : const_cast<std::byte*>(t.raw());
    // Plain tensors look to their readers like any other slot.
    slot.in_value = t.dtype() == DType::kString;
  }
}

}  // namespace planish::runtime
