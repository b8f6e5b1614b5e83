// Surroundings in which a test lowers one node and runs its steps: no compiler, no executor.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "base/value.h"
#include "ir/graph.h"
#include "plan/plan.h"
#include "runtime/step.h"

namespace planish::backends::cpu {

// Collects slots and steps of a program whose sizes are all constant.
class FakeLower final : public LowerContext {
 public:
  FakeLower(const ir::Graph& graph, int threads) : graph_(graph), threads_(threads) {
    plan_.providers = {"cpu"};
    plan_.programs.emplace_back();
  }
  const ir::Graph& graph() const override { return graph_; }
  uint32_t slot(ir::ValueId value) override {
    const auto it = home_.find(value);
    if (it != home_.end()) return it->second;
    const ir::ValueDef& def = graph_.value(value);
    plan::Slot s = describe(def.name, def.type.dtype, constant_dims(*def.type.shape).value());
    if (def.constant) {
      s.storage = plan::Storage::kConstant;
      s.bytes = static_cast<uint64_t>(def.constant->bytes());
    }
    const uint32_t id = add(s);
    if (def.constant) constants_[id] = def.constant->aligned();
    return home_[value] = id;
  }
  uint32_t constant(std::string name, Tensor data, std::string recipe) override {
    plan::Slot s = describe(name, data.dtype(), data.dims());
    s.storage = plan::Storage::kConstant;
    s.bytes = static_cast<uint64_t>(data.bytes());
    s.recipe = std::move(recipe);
    const uint32_t id = add(s);
    constants_[id] = std::move(data);
    return id;
  }
  uint32_t temporary(std::string name, DType dtype, const Shape& shape) override {
    return add(describe(name, dtype, constant_dims(shape).value()));
  }
  uint32_t workspace(const SizeExpr& bytes) override {
    return add(describe("workspace", DType::kUint8, {bytes.constant().value()}));
  }
  void add_step(plan::Step step) override { program().steps.push_back(std::move(step)); }
  void alias(ir::ValueId output, ir::ValueId input) override { aliases_[output] = input; }
  int threads() const override { return threads_; }

  plan::Plan& plan() { return plan_; }
  plan::Program& program() { return plan_.programs[0]; }
  const std::map<uint32_t, Tensor>& constants() const { return constants_; }
  const std::map<ir::ValueId, ir::ValueId>& aliases() const { return aliases_; }

 private:
  static plan::Slot describe(const std::string& name, DType dtype, const Dims& dims) {
    plan::Slot s;
    s.name = name;
    s.dtype = dtype;
    for (const int64_t d : dims) s.dims.push_back({d, plan::kNone});
    return s;
  }
  uint32_t add(plan::Slot slot) {
    program().slots.push_back(std::move(slot));
    return static_cast<uint32_t>(program().slots.size() - 1);
  }

  const ir::Graph& graph_;
  int threads_;
  plan::Plan plan_;
  std::map<ir::ValueId, uint32_t> home_;
  std::map<uint32_t, Tensor> constants_;
  std::map<ir::ValueId, ir::ValueId> aliases_;
};

// Memory of all slots; outputs start as garbage.
class FakeFrame {
 public:
  FakeFrame(FakeLower& lowered, const std::map<uint32_t, Tensor>& inputs)
      : program_(lowered.program()) {
    for (uint32_t id = 0; id < program_.slots.size(); ++id) {
      const plan::Slot& s = program_.slots[id];
      Dims dims;
      for (const plan::Dim& d : s.dims) dims.push_back(d.constant);
      if (const auto c = lowered.constants().find(id); c != lowered.constants().end()) {
        tensors_.push_back(c->second);
      } else if (const auto i = inputs.find(id); i != inputs.end()) {
        tensors_.push_back(i->second);
      } else {
        tensors_.emplace_back(s.dtype, dims);
        if (tensors_.back().bytes() > 0) {
          std::memset(tensors_.back().mutable_raw(), 0xab,
                      static_cast<size_t>(tensors_.back().bytes()));
        }
      }
    }
  }
  runtime::SlotView view(uint32_t id) {
    runtime::SlotView v;
    Tensor& t = tensors_[id];
    v.data = const_cast<std::byte*>(t.raw());
    v.dtype = t.dtype();
    v.dims = t.dims();
    v.layout = &program_.slots[id].layout;
    v.bytes = t.bytes();
    return v;
  }
  const Tensor& tensor(uint32_t id) const { return tensors_[id]; }

 private:
  const plan::Program& program_;
  std::deque<Tensor> tensors_;
};

class FakeStep final : public runtime::StepContext {
 public:
  FakeStep(FakeFrame& frame, const plan::Step& step, int workers)
      : frame_(frame), step_(step), workers_(workers) {}
  const plan::Step& step() const override { return step_; }
  bool has_input(size_t i) const override {
    return i < step_.inputs.size() && step_.inputs[i] != plan::kNone;
  }
  bool has_output(size_t i) const override {
    return i < step_.outputs.size() && step_.outputs[i] != plan::kNone;
  }
  runtime::SlotView input(size_t i) const override { return frame_.view(step_.inputs[i]); }
  runtime::SlotView output(size_t i) const override { return frame_.view(step_.outputs[i]); }
  runtime::SlotView workspace(size_t i) const override { return frame_.view(step_.workspaces[i]); }
  runtime::SlotView resize_output(size_t, DType, std::span<const int64_t>) override {
    fail(ErrorCode::kInternal, "no step of the cpu provider resizes an output");
  }
  void set_output(size_t, Value) override {
    fail(ErrorCode::kInternal, "no step of the cpu provider sets an output");
  }
  int workers() const override { return workers_; }
  void report(const Error&) noexcept override {}
  Status stopped() const noexcept override { return Status::kOk; }
  int64_t memory_left() const override { return INT64_MAX; }

 private:
  FakeFrame& frame_;
  const plan::Step& step_;
  int workers_;
};

}  // namespace planish::backends::cpu
