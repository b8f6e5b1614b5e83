// Meaning of a plan that the structure alone cannot promise. Everything the executor relies on
// without looking again is checked here, because a plan file may come from anywhere.
#include <algorithm>

#include "base/error.h"
#include "plan/file.h"
#include "plan/format.h"

namespace planish::plan {
namespace {

constexpr uint32_t kBind = kNone;  // "after_step" of what is known at bind

class ProgramVerifier {
 public:
  ProgramVerifier(const Plan& plan, uint32_t index)
      : plan_(plan), p_(plan.programs[index]), index_(index) {}

  void run() {
    steps();
    registers();
    slots();
  }

 private:
  template <class... Args>
  [[noreturn]] void wrong(fmt::format_string<Args...> format, Args&&... args) const {
    fail(ErrorCode::kInvalidPlan, "program {} '{}': {}", index_, p_.name,
         fmt::format(format, std::forward<Args>(args)...));
  }

  const Slot& slot(uint32_t id, std::string_view what) const {
    if (id >= p_.slots.size()) wrong("{} names slot {} of {}", what, id, p_.slots.size());
    return p_.slots[id];
  }

  // Slots are made once: by the caller, the weights, an alias or exactly one step; a step reads
  // only what was made before it. maker_ holds the step that makes a slot (kBind: before all
  // steps).
  void steps() {
    constexpr uint32_t kNever = kNone - 1;
    maker_.assign(p_.slots.size(), kNever);
    last_use_.assign(p_.slots.size(), 0);
    const auto count = static_cast<uint32_t>(p_.steps.size());
    for (uint32_t s = 0; s < p_.slots.size(); ++s) {
      if (p_.slots[s].storage == Storage::kConstant) maker_[s] = kBind;
    }
    for (const uint32_t s : p_.inputs) {
      if (slot(s, "an input").storage != Storage::kInput)
        wrong("input slot {} is not stored as input", s);
      if (maker_[s] == kBind) wrong("input slot {} is listed twice", s);
      maker_[s] = kBind;
    }
    const auto resolve = [&](uint32_t s) {
      while (p_.slots[s].storage == Storage::kAlias) s = p_.slots[s].alias_of;
      return s;
    };
    for (uint32_t s = 0; s < p_.slots.size(); ++s) {
      const Slot& x = p_.slots[s];
      if (x.storage == Storage::kInput && maker_[s] != kBind)
        wrong("slot {} is stored as input but is none", s);
      // An alias stands after its target, so chains end.
      if (x.storage == Storage::kAlias && x.alias_of >= s)
        wrong("slot {} is an alias of slot {}, not of an earlier one", s, x.alias_of);
    }
    for (uint32_t i = 0; i < count; ++i) {
      const Step& step = p_.steps[i];
      const auto where = fmt::format("step {} '{}'", i, step.name);
      if (step.provider >= plan_.providers.size())
        wrong("{} names provider {} of {}", where, step.provider, plan_.providers.size());
      for (const uint32_t s : step.inputs) {
        if (s == kNone) continue;
        slot(s, where);
        const uint32_t base = resolve(s);
        if (maker_[base] == kNever) wrong("{} reads slot {} before it is made", where, s);
        last_use_[base] = i;
      }
      for (const uint32_t s : step.outputs) {
        if (s == kNone) continue;
        const Slot& out = slot(s, where);
        if (out.storage != Storage::kArena && out.storage != Storage::kDynamic)
          wrong("{} writes slot {}, which is not writable", where, s);
        if (maker_[s] != kNever) wrong("{} makes slot {} a second time", where, s);
        maker_[s] = i;
        last_use_[s] = std::max(last_use_[s], i);
      }
      for (const uint32_t s : step.workspaces) {
        const Slot& w = slot(s, where);
        if (w.storage != Storage::kArena || w.dtype != DType::kUint8)
          wrong("{} has workspace slot {} that is not arena bytes", where, s);
        if (maker_[s] != kNever) wrong("{} shares workspace slot {}", where, s);
        maker_[s] = i;
        last_use_[s] = i;
      }
      for (const uint32_t program : step.programs) {
        if (program <= index_ || program >= plan_.programs.size())
          wrong("{} calls program {}", where, program);
      }
    }
    for (const uint32_t s : p_.outputs) {
      slot(s, "an output");
      const uint32_t base = resolve(s);
      if (maker_[base] == kNever) wrong("output slot {} is never made", s);
      last_use_[base] = count;
    }
    for (uint32_t s = 0; s < p_.slots.size(); ++s) {
      const Slot& x = p_.slots[s];
      if (x.storage != Storage::kArena || maker_[s] == kNever) continue;
      // A lifetime too short would let another value overwrite this one.
      if (x.first_step > maker_[s] || x.last_step < last_use_[s] || x.first_step > x.last_step) {
        wrong("slot {} '{}' lives in steps {}..{} but is used in {}..{}", s, x.name, x.first_step,
              x.last_step, maker_[s], last_use_[s]);
      }
    }
  }

  // Each register is written once; size code reads only what is known at its time.
  void registers() {
    if (p_.registers > (uint32_t{1} << 24)) wrong("{} registers", p_.registers);
    known_.assign(p_.registers, kUnknown);
    const auto define = [&](uint32_t reg, uint32_t when, std::string_view what) {
      if (reg >= p_.registers) wrong("{} writes register {} of {}", what, reg, p_.registers);
      if (known_[reg] != kUnknown) wrong("register {} is written twice", reg);
      known_[reg] = when;
    };
    for (const Symbol& s : p_.symbols) {
      const Slot& from = slot(s.slot, "symbol '" + s.name + "'");
      if (s.after_step != kBind && s.after_step >= p_.steps.size())
        wrong("symbol '{}' is defined after step {}", s.name, s.after_step);
      if (s.content) {
        if (from.dtype != DType::kInt64 && from.dtype != DType::kInt32)
          wrong("symbol '{}' reads a {} slot", s.name, to_string(from.dtype));
      } else if (!from.ranked || s.index >= from.dims.size()) {
        wrong("symbol '{}' reads dim {} of slot {}", s.name, s.index, s.slot);
      }
      const bool input = from.storage == Storage::kInput;
      if (s.after_step == kBind ? !input : maker_[s.slot] != s.after_step)
        wrong("symbol '{}' reads slot {} at the wrong time", s.name, s.slot);
      if (s.min > s.max) wrong("symbol '{}' has the empty range [{}, {}]", s.name, s.min, s.max);
      define(s.reg, s.after_step, "symbol '" + s.name + "'");
    }
    for (const SizeProgram& sizes : p_.sizes) {
      if (sizes.after_step != kBind && sizes.after_step >= p_.steps.size())
        wrong("a size program runs after step {}", sizes.after_step);
      for (const SizeInstr& i : sizes.code) {
        if (i.op != SizeOp::kConst) {
          for (const uint32_t r : {i.a, i.b}) {
            if (r >= p_.registers || known_[r] == kUnknown)
              wrong("size code reads register {} before it is set", r);
            if (!earlier_or_same(known_[r], sizes.after_step))
              wrong("size code reads register {} too early", r);
          }
        }
        define(i.dst, sizes.after_step, "size code");
      }
    }
  }

  static bool earlier_or_same(uint32_t a, uint32_t b) {
    return a == kBind || (b != kBind && a <= b);
  }

  void slots() {
    for (uint32_t s = 0; s < p_.slots.size(); ++s) {
      const Slot& x = p_.slots[s];
      if (x.device >= plan_.providers.size())
        wrong("slot {} lies on provider {} of {}", s, x.device, plan_.providers.size());
      if (x.kind == SlotKind::kTensor && x.dtype == DType::kUndefined)
        wrong("slot {} '{}' has no element type", s, x.name);
      const bool plain = x.kind == SlotKind::kTensor && x.dtype != DType::kString;
      if (!plain && x.storage != Storage::kDynamic && x.storage != Storage::kInput &&
          x.storage != Storage::kAlias) {
        wrong("slot {} '{}' holds no plain tensor but lies in memory of fixed size", s, x.name);
      }
      if (!x.ranked && !x.dims.empty()) wrong("slot {} has dims but no rank", s);
      if (!x.ranked && x.storage == Storage::kArena)
        wrong("slot {} lies in the arena without a rank", s);
      bool constant = true;
      for (const Dim& d : x.dims) {
        if (d.reg == kNone) {
          if (d.constant < 0) wrong("slot {} '{}' has the dim {}", s, x.name, d.constant);
          continue;
        }
        constant = false;
        if (d.reg >= p_.registers || known_[d.reg] == kUnknown)
          wrong("slot {} '{}' has a dim in unset register {}", s, x.name, d.reg);
        if (x.storage == Storage::kArena && known_[d.reg] != kBind)
          wrong("slot {} '{}' lies in the arena but its size is known only after step {}", s,
                x.name, known_[d.reg]);
      }
      layout(s, x);
      if (x.storage == Storage::kConstant) {
        if (!constant) wrong("constant slot {} has symbolic dims", s);
        std::vector<int64_t> dims;
        for (const Dim& d : x.dims) dims.push_back(d.constant);
        if (static_cast<uint64_t>(byte_count(x.dtype, element_count(dims))) != x.bytes)
          wrong("constant slot {} '{}' holds {} bytes", s, x.name, x.bytes);
        if (x.offset % kSlotAlignment != 0 || x.offset > plan_.weights_bytes ||
            x.bytes > plan_.weights_bytes - x.offset) {
          wrong("constant slot {} '{}' lies outside the weights", s, x.name);
        }
      }
      if (x.storage == Storage::kAlias) {
        const Slot& target = p_.slots[x.alias_of];
        if (target.dtype != x.dtype || target.kind != x.kind || target.device != x.device)
          wrong("alias slot {} differs in kind from slot {}", s, x.alias_of);
      }
    }
  }

  void layout(uint32_t s, const Slot& x) const {
    if (x.layout.block == 0 || x.layout.block > 4096)
      wrong("slot {} has the layout block {}", s, x.layout.block);
    if (x.layout.permutation.empty() && x.layout.block == 1) return;
    std::vector<bool> seen(x.dims.size(), false);
    if (x.layout.permutation.size() != x.dims.size())
      wrong("slot {} has a layout of another rank", s);
    for (const uint8_t axis : x.layout.permutation) {
      if (axis >= seen.size() || seen[axis])
        wrong("slot {} has a layout that is no permutation", s);
      seen[axis] = true;
    }
    if (x.layout.block > 1 && x.layout.block_axis >= x.dims.size())
      wrong("slot {} is blocked on axis {}", s, x.layout.block_axis);
  }

  static constexpr uint32_t kUnknown = kNone - 1;
  const Plan& plan_;
  const Program& p_;
  uint32_t index_;
  std::vector<uint32_t> maker_, last_use_, known_;
};

}  // namespace

void verify(const Plan& plan) {
  if (plan.programs.empty()) fail(ErrorCode::kInvalidPlan, "the plan has no program");
  if (plan.providers.empty()) fail(ErrorCode::kInvalidPlan, "the plan names no provider");
  if (plan.threads < 1 || plan.threads > 1024)
    fail(ErrorCode::kInvalidPlan, "the plan is for {} threads", plan.threads);
  std::vector<int> called(plan.programs.size(), 0);
  for (uint32_t i = 0; i < plan.programs.size(); ++i) {
    try {
      ProgramVerifier(plan, i).run();
    } catch (const Error& e) {
      throw Error(ErrorCode::kInvalidPlan,
                  e.message());  // sizes that overflow report as model errors
    }
    for (const Step& step : plan.programs[i].steps) {
      for (const uint32_t p : step.programs) ++called[p];
    }
  }
  // One frame per program: a program called from two places would share its values.
  for (uint32_t i = 1; i < plan.programs.size(); ++i) {
    if (called[i] != 1)
      fail(ErrorCode::kInvalidPlan, "program {} is called from {} places, not one", i, called[i]);
  }
  if (plan.inputs.size() != plan.programs[0].inputs.size() ||
      plan.outputs.size() != plan.programs[0].outputs.size()) {
    fail(ErrorCode::kInvalidPlan,
         "the plan describes {} inputs and {} outputs but runs with {} and {}", plan.inputs.size(),
         plan.outputs.size(), plan.programs[0].inputs.size(), plan.programs[0].outputs.size());
  }
}

}  // namespace planish::plan
