// The compile side of an execution provider: what it supports and how it lowers a node to steps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "plan/plan.h"

namespace planish::backends {

struct Support {
  bool supported = false;
  std::string reason;  // why not, for the fallback report
  static Support yes() { return {true, {}}; }
  static Support no(std::string why) { return {false, std::move(why)}; }
};

// Given to `lower`: makes slots and steps of the program being built.
class LowerContext {
 public:
  virtual ~LowerContext() = default;
  virtual const ir::Graph& graph() const = 0;
  // The slot of an IR value (constants are placed in the weights on first use, row-major).
  virtual uint32_t slot(ir::ValueId value) = 0;
  // A constant slot with these bytes (a pack). `recipe` as in plan::Slot.
  virtual uint32_t constant(std::string name, Tensor data, std::string recipe) = 0;
  // A helper slot between steps of one node, and a workspace for one step.
  virtual uint32_t temporary(std::string name, DType dtype, const Shape& shape) = 0;
  virtual uint32_t workspace(const SizeExpr& bytes) = 0;
  // Fills provider, name and provenance when they are empty.
  virtual void add_step(plan::Step step) = 0;
  // Makes `output` an alias of `input` (same bytes, other dims): a reshape without a step.
  virtual void alias(ir::ValueId output, ir::ValueId input) = 0;
  virtual int threads() const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;  // "cpu", "reference", "test"
  virtual bool host_memory() const { return true; }
  // Nodes with blocks are lowered by the compiler itself and not asked about.
  virtual Support supports(const ir::Graph& graph, const ir::Node& node) const = 0;
  // Which pointwise operators it can take into the epilogue of `node`.
  virtual bool supports_epilogue(const ir::Graph& graph,
                                 const ir::Node& node,
                                 const ir::EpilogueOp& op) const = 0;
  // Emits the steps of a node for which supports() said yes; returns the tactic's name.
  virtual std::string lower(const ir::Node& node, LowerContext& context) const = 0;
};

}  // namespace planish::backends
