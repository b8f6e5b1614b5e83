#include "runtime/control.h"

#include <algorithm>
#include <cstring>

namespace planish::runtime {
namespace {

using plan::kNone;

// A value that goes from one iteration to the next, in memory that does not move while it fits.
struct Held {
  Value other;  // everything else
  Dims dims;
  DType dtype = DType::kUndefined;
  Buffer buffer;
  bool plain = false;

  explicit Held(Memory& memory) : buffer(&memory) {}

  void set(const Value& v) {
    plain = v.is_tensor() && v.tensor().dtype() != DType::kString;
    if (!plain) {
      other = v;
      return;
    }
    const Tensor& t = v.tensor();
    dtype = t.dtype();
    dims = t.dims();
    buffer.reserve(t.bytes());
    if (t.bytes() > 0) std::memcpy(buffer.data(), t.raw(), static_cast<size_t>(t.bytes()));
  }
  Value view() const { return plain ? Value(Tensor::borrow(dtype, dims, buffer.data())) : other; }
  void bind(Frame& frame, size_t input) const {
    if (plain) {
      frame.bind_input(input, buffer.data(), dtype, dims);
    } else {
      frame.bind_input(input, other);
    }
  }
};

// One element per iteration, stacked at the end.
class Stack {
 public:
  void clear() {
    count_ = 0;
    bytes_.clear();
    strings_.clear();
  }
  void push(const Tensor& t) {
    if (count_ == 0) {
      dtype_ = t.dtype();
      dims_ = t.dims();
    } else if (dims_ != t.dims()) {
      fail(ErrorCode::kInvalidInput, "a scanned output changes its shape from [{}] to [{}]",
           dims_to_string(dims_), dims_to_string(t.dims()));
    }
    ++count_;
    if (t.dtype() == DType::kString) {
      strings_.insert(strings_.end(), t.strings().begin(), t.strings().end());
    } else {
      bytes_.insert(bytes_.end(), t.raw(), t.raw() + t.bytes());
    }
  }
  // With the iterations along `axis`; `slot` tells type and dims when there was no iteration.
  Value stacked(const plan::Slot& slot, int64_t axis, bool reversed) const {
    Dims dims = dims_;
    DType dtype = dtype_;
    if (count_ == 0) {
      dtype = slot.dtype;
      dims.clear();
      for (const auto& d : slot.dims) dims.push_back(d.reg == kNone ? d.constant : 0);
    }
    const auto rank = static_cast<int64_t>(dims.size()) + 1;
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank)
      fail(ErrorCode::kInvalidModel, "scan output axis {} is outside rank {}", axis, rank);
    const int64_t outer = element_count(std::span(dims).first(static_cast<size_t>(axis)));
    const int64_t inner = element_count(std::span(dims).subspan(static_cast<size_t>(axis)));
    Dims full = dims;
    full.insert(full.begin() + axis, count_);
    Tensor out(dtype, full);
    const int64_t width = dtype == DType::kString ? 1 : bit_width(dtype) / 8;
    if (is_sub_byte(dtype))
      fail(ErrorCode::kUnsupported, "scanned outputs of {}", to_string(dtype));
    for (int64_t i = 0; i < count_; ++i) {
      const int64_t at = reversed ? count_ - 1 - i : i;
      for (int64_t o = 0; o < outer; ++o) {
        const int64_t from = (i * outer + o) * inner;
        const int64_t to = (o * count_ + at) * inner;
        if (dtype == DType::kString) {
          std::copy_n(strings_.begin() + from, inner, out.mutable_strings().begin() + to);
        } else if (inner > 0) {
          std::memcpy(out.mutable_raw() + to * width, bytes_.data() + from * width,
                      static_cast<size_t>(inner * width));
        }
      }
    }
    return out;
  }

 private:
  DType dtype_ = DType::kUndefined;
  Dims dims_;
  int64_t count_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<std::string> strings_;
};

void bind_from(Frame& outer, uint32_t slot, Frame& inner, size_t input) {
  if (slot == kNone) fail(ErrorCode::kInvalidModel, "a block reads an omitted value");
  const SlotState& s = outer.slot(slot);
  if (s.in_value) {
    inner.bind_input(input, s.value);
  } else {
    inner.bind_input(input, s.data, s.dtype, outer.dims(slot));
  }
}

bool read_flag(const Value& v) {
  const Tensor& t = v.tensor();
  if (t.dtype() != DType::kBool || t.size() != 1) {
    fail(ErrorCode::kInvalidInput, "a condition must be one bool, not {} of shape {}",
         to_string(t.dtype()), dims_to_string(t.dims()));
  }
  return *reinterpret_cast<const uint8_t*>(t.raw()) != 0;
}

void assign_output(Frame& frame, const plan::Step& step, size_t k, Value value) {
  if (k < step.outputs.size() && step.outputs[k] != kNone)
    frame.assign(step.outputs[k], std::move(value));
}

class If final : public Control {
 public:
  Status run(Context& c, Frame& frame, uint32_t index, int worker) noexcept override {
    const plan::Step& step = frame.program().steps[index];
    Status mine = Status::kOk;
    if (worker == 0) {
      mine = guarded(c, step.name, [&] {
        chosen_ = step.programs[read_flag(frame.value(step.inputs[0])) ? 0 : 1];
        Frame& branch = c.frame(chosen_);
        for (size_t k = 1; k < step.inputs.size(); ++k)
          bind_from(frame, step.inputs[k], branch, k - 1);
        branch.bind();
        branch.begin_run();
      });
    }
    if (const Status agreed = arrive(c, mine); agreed != Status::kOk) return agreed;
    if (const Status agreed = execute(c, chosen_, worker); agreed != Status::kOk) return agreed;
    if (worker == 0) {
      mine = guarded(c, step.name, [&] {
        Frame& branch = c.frame(chosen_);
        for (size_t k = 0; k < step.outputs.size(); ++k) {
          assign_output(frame, step, k, branch.value(branch.program().outputs[k]));
        }
      });
    }
    return arrive(c, mine);
  }

 private:
  uint32_t chosen_ = 0;
};

// What Loop and Scan share: carried values, stacks and the hand-over between iterations.
class Iteration : public Control {
 public:
  Status run(Context& c, Frame& frame, uint32_t index, int worker) noexcept override {
    const plan::Step& step = frame.program().steps[index];
    Frame& body = c.frame(step.programs[0]);
    Status mine = Status::kOk;
    if (worker == 0) {
      mine = guarded(c, step.name, [&] {
        done_ = 0;
        begin(frame, step, body);
      });
    }
    while (true) {
      if (worker == 0 && mine == Status::kOk) {
        mine = stopped(c);
        if (mine == Status::kOk)
          mine = guarded(c, step.name, [&] { more_ = next(frame, step, body); });
      }
      if (const Status agreed = arrive(c, mine); agreed != Status::kOk) return agreed;
      if (!more_) break;
      if (const Status agreed = execute(c, step.programs[0], worker); agreed != Status::kOk)
        return agreed;
      if (worker == 0) {
        mine = guarded(c, step.name, [&] { take(step, body); });
        ++done_;
      }
    }
    if (worker == 0) mine = guarded(c, step.name, [&] { end(frame, step, body); });
    return arrive(c, mine);
  }

 protected:
  virtual void begin(Frame& frame, const plan::Step& step, Frame& body) = 0;
  // Binds the body for one more iteration, or says that there is none.
  virtual bool next(Frame& frame, const plan::Step& step, Frame& body) = 0;
  virtual void take(const plan::Step& step, Frame& body) = 0;
  virtual void end(Frame& frame, const plan::Step& step, Frame& body) = 0;

  // Body outputs [first, first + carried) become the carried values. Outputs that are the body's
  // own inputs lie in the memory about to be written: they are put aside first.
  void carry(Frame& body, size_t first) {
    const auto& outputs = body.program().outputs;
    std::vector<std::pair<size_t, Value>> aside;
    for (size_t k = 0; k < carried_.size(); ++k) {
      uint32_t s = outputs[first + k];
      while (body.program().slots[s].storage == plan::Storage::kAlias)
        s = body.program().slots[s].alias_of;
      if (body.program().slots[s].storage != plan::Storage::kInput) continue;
      const Value v = body.value(outputs[first + k]);
      if (v.is_tensor() && v.tensor().dtype() != DType::kString) {
        Tensor copy(v.tensor().dtype(), v.tensor().dims());
        if (copy.bytes() > 0)
          std::memcpy(copy.mutable_raw(), v.tensor().raw(), static_cast<size_t>(copy.bytes()));
        aside.emplace_back(k, std::move(copy));
      } else {
        aside.emplace_back(k, v);
      }
    }
    auto next_aside = aside.begin();
    for (size_t k = 0; k < carried_.size(); ++k) {
      if (next_aside != aside.end() && next_aside->first == k) {
        carried_[k].set(next_aside->second);
        ++next_aside;
      } else {
        carried_[k].set(body.value(outputs[first + k]));
      }
    }
  }

  HostMemory memory_;
  std::vector<Held> carried_;
  std::vector<Stack> stacks_;
  int64_t done_ = 0;
  bool more_ = false;
};

class Loop final : public Iteration {
 public:
  explicit Loop(const plan::Step& step)
      : captures_(static_cast<size_t>(step.args.get_int("captures"))) {
    const auto carried = static_cast<size_t>(step.args.get_int("carried"));
    for (size_t k = 0; k < carried; ++k) carried_.emplace_back(memory_);
  }

 protected:
  void begin(Frame& frame, const plan::Step& step, Frame& body) override {
    trips_ = INT64_MAX;
    if (step.inputs[0] != kNone) {
      const Value v = frame.value(step.inputs[0]);
      const Tensor& t = v.tensor();
      if (t.dtype() != DType::kInt64 || t.size() != 1)
        fail(ErrorCode::kInvalidInput, "a trip count must be one int64");
      std::memcpy(&trips_, t.raw(), sizeof trips_);
    }
    condition_ = step.inputs[1] == kNone || read_flag(frame.value(step.inputs[1]));
    for (size_t k = 0; k < carried_.size(); ++k) carried_[k].set(frame.value(step.inputs[2 + k]));
    stacks_.resize(body.program().outputs.size() - 1 - carried_.size());
    for (auto& s : stacks_) s.clear();
  }

  bool next(Frame& frame, const plan::Step& step, Frame& body) override {
    if (done_ >= trips_ || !condition_) return false;
    iteration_ = done_;
    flag_ = 1;
    body.bind_input(0, reinterpret_cast<std::byte*>(&iteration_), DType::kInt64,
                    body_dims(body, 0));
    body.bind_input(1, reinterpret_cast<std::byte*>(&flag_), DType::kBool, body_dims(body, 1));
    for (size_t k = 0; k < carried_.size(); ++k) carried_[k].bind(body, 2 + k);
    for (size_t k = 0; k < captures_; ++k) {
      bind_from(frame, step.inputs[step.inputs.size() - captures_ + k], body,
                2 + carried_.size() + k);
    }
    body.bind();
    body.begin_run();
    return true;
  }

  void take(const plan::Step&, Frame& body) override {
    const auto& outputs = body.program().outputs;
    condition_ = read_flag(body.value(outputs[0]));
    for (size_t k = 0; k < stacks_.size(); ++k)
      stacks_[k].push(body.value(outputs[1 + carried_.size() + k]).tensor());
    carry(body, 1);
  }

  void end(Frame& frame, const plan::Step& step, Frame& body) override {
    for (size_t k = 0; k < carried_.size(); ++k) assign_output(frame, step, k, carried_[k].view());
    for (size_t k = 0; k < stacks_.size(); ++k) {
      const plan::Slot& slot =
          body.program().slots[body.program().outputs[1 + carried_.size() + k]];
      assign_output(frame, step, carried_.size() + k, stacks_[k].stacked(slot, 0, false));
    }
  }

 private:
  // Exporters write the counter and the condition as scalars or as one-element vectors.
  static Dims body_dims(const Frame& body, size_t input) {
    const plan::Slot& slot = body.program().slots[body.program().inputs[input]];
    return Dims(slot.ranked ? slot.dims.size() : 0, 1);
  }

  size_t captures_;
  int64_t trips_ = 0;
  int64_t iteration_ = 0;
  uint8_t flag_ = 1;
  bool condition_ = true;
};

class Scan final : public Iteration {
 public:
  explicit Scan(const plan::Step& step)
      : captures_(static_cast<size_t>(step.args.get_int("captures"))),
        in_axes_(step.args.get_ints("scan_input_axes")),
        out_axes_(step.args.get_ints("scan_output_axes")),
        in_reverse_(step.args.get_ints("scan_input_directions")),
        out_reverse_(step.args.get_ints("scan_output_directions")) {
    const auto states = static_cast<size_t>(step.args.get_int("states"));
    for (size_t k = 0; k < states; ++k) carried_.emplace_back(memory_);
    const size_t scans = step.inputs.size() - captures_ - states;
    for (size_t k = 0; k < scans; ++k) elements_.emplace_back(memory_);
    in_axes_.resize(scans, 0);
    in_reverse_.resize(scans, 0);
  }

 protected:
  void begin(Frame& frame, const plan::Step& step, Frame& body) override {
    for (size_t k = 0; k < carried_.size(); ++k) carried_[k].set(frame.value(step.inputs[k]));
    length_ = -1;
    for (size_t k = 0; k < elements_.size(); ++k) {
      const auto dims = frame.dims(step.inputs[carried_.size() + k]);
      const auto rank = static_cast<int64_t>(dims.size());
      if (in_axes_[k] < 0) in_axes_[k] += rank;
      if (in_axes_[k] < 0 || in_axes_[k] >= rank)
        fail(ErrorCode::kInvalidModel, "scan input axis {} is outside rank {}", in_axes_[k], rank);
      const int64_t n = dims[static_cast<size_t>(in_axes_[k])];
      if (length_ >= 0 && n != length_)
        fail(ErrorCode::kInvalidInput, "scan inputs have {} and {} elements", length_, n);
      length_ = n;
    }
    stacks_.resize(body.program().outputs.size() - carried_.size());
    out_axes_.resize(stacks_.size(), 0);
    out_reverse_.resize(stacks_.size(), 0);
    for (auto& s : stacks_) s.clear();
  }

  bool next(Frame& frame, const plan::Step& step, Frame& body) override {
    if (done_ >= length_) return false;
    for (size_t k = 0; k < carried_.size(); ++k) carried_[k].bind(body, k);
    for (size_t k = 0; k < elements_.size(); ++k) {
      const Value v = frame.value(step.inputs[carried_.size() + k]);
      elements_[k].set(
          element(v.tensor(), in_axes_[k], in_reverse_[k] != 0 ? length_ - 1 - done_ : done_));
      elements_[k].bind(body, carried_.size() + k);
    }
    for (size_t k = 0; k < captures_; ++k) {
      bind_from(frame, step.inputs[step.inputs.size() - captures_ + k], body,
                carried_.size() + elements_.size() + k);
    }
    body.bind();
    body.begin_run();
    return true;
  }

  void take(const plan::Step&, Frame& body) override {
    const auto& outputs = body.program().outputs;
    for (size_t k = 0; k < stacks_.size(); ++k)
      stacks_[k].push(body.value(outputs[carried_.size() + k]).tensor());
    carry(body, 0);
  }

  void end(Frame& frame, const plan::Step& step, Frame& body) override {
    for (size_t k = 0; k < carried_.size(); ++k) assign_output(frame, step, k, carried_[k].view());
    for (size_t k = 0; k < stacks_.size(); ++k) {
      const plan::Slot& slot = body.program().slots[body.program().outputs[carried_.size() + k]];
      assign_output(frame, step, carried_.size() + k,
                    stacks_[k].stacked(slot, out_axes_[k], out_reverse_[k] != 0));
    }
  }

 private:
  static Value element(const Tensor& t, int64_t axis, int64_t index) {
    if (is_sub_byte(t.dtype())) fail(ErrorCode::kUnsupported, "scanning {}", to_string(t.dtype()));
    Dims dims = t.dims();
    const int64_t length = dims[static_cast<size_t>(axis)];
    dims.erase(dims.begin() + axis);
    Tensor out(t.dtype(), dims);
    const int64_t inner = element_count(std::span(dims).subspan(static_cast<size_t>(axis)));
    const int64_t outer = element_count(std::span(dims).first(static_cast<size_t>(axis)));
    const int64_t width = bit_width(t.dtype()) / 8;
    for (int64_t o = 0; o < outer; ++o) {
      const int64_t from = (o * length + index) * inner;
      if (t.dtype() == DType::kString) {
        std::copy_n(t.strings().begin() + from, inner, out.mutable_strings().begin() + o * inner);
      } else if (inner > 0) {
        std::memcpy(out.mutable_raw() + o * inner * width, t.raw() + from * width,
                    static_cast<size_t>(inner * width));
      }
    }
    return out;
  }

  size_t captures_;
  Ints in_axes_, out_axes_, in_reverse_, out_reverse_;
  std::vector<Held> elements_;
  int64_t length_ = 0;
};

void require(bool condition, const plan::Step& step, std::string_view what) {
  if (!condition) fail(ErrorCode::kInvalidPlan, "step '{}' ({}): {}", step.name, step.kernel, what);
}

}  // namespace

std::unique_ptr<Control> make_control(const plan::Plan& plan,
                                      const plan::Program&,
                                      const plan::Step& step) {
  if (!step.kernel.starts_with("control.")) return nullptr;
  const size_t inputs = step.inputs.size();
  const auto count = [&](std::string_view name) {
    const int64_t n = step.args.get_int(name);
    require(n >= 0 && n <= static_cast<int64_t>(inputs), step, fmt::format("{} is {}", name, n));
    return static_cast<size_t>(n);
  };
  if (step.kernel == "control.if") {
    require(step.programs.size() == 2 && inputs >= 1 && step.inputs[0] != kNone, step,
            "needs a condition and two programs");
    for (const uint32_t p : step.programs) {
      require(plan.programs[p].inputs.size() == inputs - 1 &&
                  plan.programs[p].outputs.size() >= step.outputs.size(),
              step, "a branch takes or gives another number of values");
    }
    return std::make_unique<If>();
  }
  require(step.programs.size() == 1, step, "needs one program");
  const plan::Program& body = plan.programs[step.programs[0]];
  const size_t captures = count("captures");
  if (step.kernel == "control.loop") {
    const size_t carried = count("carried");
    require(inputs == 2 + carried + captures, step, "has another number of inputs");
    require(body.inputs.size() == 2 + carried + captures && body.outputs.size() >= 1 + carried,
            step, "the body takes or gives another number of values");
    require(step.outputs.size() <= body.outputs.size() - 1, step, "has too many outputs");
    for (size_t k = 2; k < inputs; ++k) require(step.inputs[k] != kNone, step, "lacks an input");
    return std::make_unique<Loop>(step);
  }
  if (step.kernel == "control.scan") {
    const size_t states = count("states");
    require(inputs > states + captures, step, "has nothing to scan");
    require(body.inputs.size() == inputs && body.outputs.size() >= states, step,
            "the body takes or gives another number of values");
    require(step.outputs.size() <= body.outputs.size(), step, "has too many outputs");
    for (const uint32_t s : step.inputs) require(s != kNone, step, "lacks an input");
    return std::make_unique<Scan>(step);
  }
  fail(ErrorCode::kInvalidPlan, "step '{}' is of the unknown kind '{}'", step.name, step.kernel);
}

}  // namespace planish::runtime
