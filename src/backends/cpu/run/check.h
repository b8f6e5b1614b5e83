// What the `check` functions of steps are made of, and the common part of the steps themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/kernel.h"
#include "runtime/step.h"

namespace planish::backends::cpu {

// Reads a step's slots and arguments; every refusal is kInvalidPlan and names step and culprit.
class Checker {
 public:
  Checker(const plan::Plan& plan, const plan::Program& program, const plan::Step& step)
      : plan_(plan), program_(program), step_(step) {}

  const plan::Step& step() const { return step_; }
  size_t inputs() const { return step_.inputs.size(); }
  // Number of inputs and outputs within these bounds.
  void arity(size_t least_inputs,
             size_t most_inputs,
             size_t least_outputs = 1,
             size_t most_outputs = 1) const;
  bool has_input(size_t i) const {
    return i < step_.inputs.size() && step_.inputs[i] != plan::kNone;
  }
  bool has_output(size_t i) const {
    return i < step_.outputs.size() && step_.outputs[i] != plan::kNone;
  }
  // A present, row-major tensor of known rank and of that type (kUndefined: any type but strings).
  const plan::Slot& input(size_t i, DType dtype = DType::kUndefined) const;
  const plan::Slot& output(size_t i, DType dtype = DType::kUndefined) const;
  // Its rank; must lie in [least, most].
  size_t rank(const plan::Slot& slot, size_t least, size_t most) const;
  // A constant with at least that many bytes (a pack).
  void constant_bytes(const plan::Slot& slot, int64_t bytes) const;

  int64_t integer(std::string_view name, int64_t least, int64_t most) const;
  int64_t integer_or(std::string_view name, int64_t fallback, int64_t least, int64_t most) const;
  const Ints& integers(std::string_view name, size_t count, int64_t least, int64_t most) const;
  float real(std::string_view name) const;

  [[noreturn]] void refuse(const std::string& why) const;

 private:
  const plan::Slot& slot(uint32_t id, std::string_view what, size_t i, DType dtype) const;

  const plan::Plan& plan_;
  const plan::Program& program_;
  const plan::Step& step_;
};

// Turns errors of attribute access (missing, of another kind) inside `Check` into kInvalidPlan.
void check_guarded(void (*check)(const Checker&),
                   const plan::Plan& plan,
                   const plan::Program& program,
                   const plan::Step& step);

// {"cpu.name", version 1, check, make} from a class with `static void check(const Checker&)` and a
// constructor from const plan::Step&.
template <class StepClass>
runtime::StepKernel step_kernel(std::string_view name) {
  return {name, 1,
          [](const plan::Plan& plan, const plan::Program& program, const plan::Step& step) {
            check_guarded(&StepClass::check, plan, program, step);
          },
          [](const plan::Plan&, const plan::Program&, const plan::Step& step)
              -> std::unique_ptr<runtime::Step> { return std::make_unique<StepClass>(step); }};
}

// A step whose run is one kernel call.
template <class Args, Status (*Kernel)(const Args*, int, int)>
class KernelStep : public runtime::Step {
 public:
  Status run(runtime::StepContext&, int worker, int workers) noexcept override {
    return Kernel(&args_, worker, workers);
  }

 protected:
  Args args_;
};

// Sizes that only the bind knows: throw kInvalidPlan with the step's name and the dims.
[[noreturn]] void refuse_dims(const runtime::StepContext& context, std::string_view why);
void require_dims(const runtime::StepContext& context, bool holds, std::string_view why);
int64_t count(std::span<const int64_t> dims);

// Scratch memory of a step: the plan's workspace when it is large enough, else its own buffer,
// grown in prepare().
class Scratch {
 public:
  // 64-byte aligned; valid until the next call.
  float* floats(const runtime::StepContext& context, int64_t count);

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  std::unique_ptr<std::byte[], Free> own_;
  int64_t own_bytes_ = 0;
};

// The tactic named by argument "tactic": must be known; refuses when this machine cannot run it.
template <class Variant>
const Variant& tactic(const plan::Step& step,
                      const Variant* (*find)(std::string_view),
                      bool (*has)(kernels::Isa)) {
  const std::string& name = step.args.get_string("tactic");
  const Variant* variant = find(name);
  if (variant == nullptr) {
    fail(ErrorCode::kInvalidPlan,
         "step '{}' ({}): unknown tactic '{}'; the plan is from another version: build it again",
         step.name, step.kernel, name);
  }
  if (!has(variant->isa)) {
    fail(ErrorCode::kUnsupported,
         "step '{}' ({}): this machine lacks the instructions of tactic '{}'; build the plan here",
         step.name, step.kernel, name);
  }
  return *variant;
}

}  // namespace planish::backends::cpu
