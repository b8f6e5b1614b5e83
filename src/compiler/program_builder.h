// Builds the program of one graph: slots, sizes and steps. Implements what backends see while they
// lower a node, and inserts copies where a value crosses from one provider's memory to another's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "compiler/sizes.h"
#include "plan/plan.h"

namespace planish::compiler {

// Shared by all programs of one plan: the weights section.
class Weights {
 public:
  explicit Weights(plan::Plan& plan) : plan_(plan) {}
  // Appends and returns the offset. A borrowed tensor stays borrowed.
  uint64_t add(Tensor data);

 private:
  plan::Plan& plan_;
};

class ProgramBuilder final : public backends::LowerContext {
 public:
  ProgramBuilder(const ir::Graph& graph,
                 std::span<const backends::Backend* const> providers,
                 Weights& weights,
                 int threads);

  // --- LowerContext
  const ir::Graph& graph() const override { return graph_; }
  uint32_t slot(ir::ValueId value) override;
  uint32_t constant(std::string name, Tensor data, std::string recipe) override;
  uint32_t temporary(std::string name, DType dtype, const Shape& shape) override;
  uint32_t workspace(const SizeExpr& bytes) override;
  void add_step(plan::Step step) override;
  void alias(ir::ValueId output, ir::ValueId input) override;
  int threads() const override { return threads_; }

  // --- for the lowering loop
  // Inputs, control flow and outputs live where the host can read them.
  uint32_t first_host() const;
  void begin_node(const ir::Node& node, uint32_t provider);
  void end_node(double flops);  // defines sizes that only this node's run can tell
  // Undoes everything since begin_node.
  void abandon_node();
  // The slot of a control-flow output: sized by the step that hands it over.
  uint32_t late_output(ir::ValueId value);
  // When all dims of a value are known; nothing when the run of its node must tell.
  bool sized(ir::ValueId value) const;
  bool known_at_bind(ir::ValueId value) const;
  bool dynamic(ir::ValueId value) const;  // has a slot whose size comes late
  plan::Program finish(std::string name);

 private:
  uint32_t add_slot(plan::Slot slot);
  plan::Slot describe(const std::string& name, const Type& type) const;
  void set_dims(plan::Slot& slot, const Shape& shape);
  uint32_t home(ir::ValueId value);
  uint32_t place_constant(const ir::ValueDef& value, uint32_t device);
  bool host(uint32_t provider) const { return providers_[provider]->host_memory(); }
  bool same_memory(uint32_t a, uint32_t b) const { return a == b || (host(a) && host(b)); }
  uint32_t copied(ir::ValueId value, uint32_t from, uint32_t to_device);
  void string_constant(const ir::ValueDef& value, uint32_t id);
  uint32_t maker_step(uint32_t slot, uint32_t last) const;
  void lifetimes();

  const ir::Graph& graph_;
  std::span<const backends::Backend* const> providers_;
  Weights& weights_;
  int threads_;
  plan::Program program_;
  Sizes sizes_{program_};
  std::map<ir::ValueId, uint32_t> home_;
  std::map<std::pair<ir::ValueId, uint32_t>, uint32_t> copies_;  // (value, device)
  const ir::Node* node_ = nullptr;
  uint32_t provider_ = 0;
  size_t node_slots_ = 0, node_steps_ = 0;  // at begin_node
};

}  // namespace planish::compiler
