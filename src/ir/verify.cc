// The graph's promises, checked from scratch: nothing here trusts the tables that the mutators
// keep. Linear in the size of the graph.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace planish::ir {
namespace {

class Verifier {
 public:
  Verifier(const Graph& graph, bool deep) : graph_(graph), deep_(deep) {}

  void run() {
    defined_.assign(graph_.value_count(), false);
    uses_.assign(graph_.value_count(), {});
    // Nodes may be changed in between, so first of all their ids must mean something.
    for (const NodeId id : graph_.fold_order()) check_ids(id, true);
    for (const NodeId id : graph_.order()) check_ids(id, false);
    check_inputs();
    for (ValueId id = 0; id < graph_.value_count(); ++id) {
      const ValueDef& value = graph_.value(id);
      if (value.constant && value.producer == kNoNode) define(value);
    }
    for (const NodeId id : graph_.fold_order()) check_node(graph_.node(id), true);
    for (const NodeId id : graph_.order()) check_node(graph_.node(id), false);
    for (const ValueId id : graph_.outputs()) {
      if (id >= graph_.value_count()) broken("", "graph output {} does not exist", id);
      if (!defined_[id]) broken("", "graph output '{}' has no definition", graph_.value(id).name);
    }
    for (ValueId id = 0; id < graph_.value_count(); ++id) check_value(graph_.value(id), id);
  }

 private:
  template <class... Args>
  [[noreturn]] void broken(std::string_view node,
                           fmt::format_string<Args...> format,
                           Args&&... args) const {
    Error error(ErrorCode::kInternal,
                fmt::format("graph '{}': {}", graph_.name(),
                            fmt::format(format, std::forward<Args>(args)...)));
    if (!node.empty()) error.at_node(node);
    throw error;
  }

  void check_ids(NodeId id, bool folded) {
    if (id >= graph_.node_count()) broken("", "node {} in an order does not exist", id);
    const Node& node = graph_.node(id);
    if (node.id != id) broken(node.name, "node {} says its id is {}", id, node.id);
    if (!nodes_.insert(id).second) broken(node.name, "the node stands in the order twice");
    if (node.folded != folded || graph_.alive(id) == folded) {
      broken(node.name, "live and folded are mixed up");
    }
    if (node.name.empty()) broken("", "node {} ({}) has no name", id, node.op);
    if (!node_names_.insert(node.name).second) broken(node.name, "the node's name is not unique");
    for (const ValueId value : node.inputs) {
      if (value != kNoValue && value >= graph_.value_count()) {
        broken(node.name, "input value {} does not exist", value);
      }
    }
    for (const ValueId value : node.outputs) {
      if (value != kNoValue && value >= graph_.value_count()) {
        broken(node.name, "output value {} does not exist", value);
      }
    }
  }

  void define(const ValueDef& value) {
    if (defined_[value.id]) broken("", "value '{}' is defined twice", value.name);
    defined_[value.id] = true;
  }

  void check_inputs() {
    for (const ValueId id : graph_.inputs()) {
      if (id >= graph_.value_count()) broken("", "graph input {} does not exist", id);
      const ValueDef& value = graph_.value(id);
      if (value.producer != kNoNode || value.constant) {
        broken("", "graph input '{}' has a producer or is constant", value.name);
      }
      define(value);
    }
  }

  void check_node(const Node& node, bool folded) {
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == kNoValue) continue;
      const ValueDef& value = graph_.value(id);
      if (!defined_[id])
        broken(node.name, "input {} ('{}') is read before it is made", i, value.name);
      if (folded && !value.constant) {
        broken(node.name, "the node is folded, but its input '{}' is not constant", value.name);
      }
      uses_[id].push_back({node.id, i});
    }
    for (uint32_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      const ValueDef& value = graph_.value(node.outputs[i]);
      if (value.producer != node.id || value.output_index != i) {
        broken(node.name, "output {} ('{}') names another producer", i, value.name);
      }
      if (value.constant.has_value() != folded) {
        broken(node.name, "output '{}': constant and folded do not agree", value.name);
      }
      define(value);
    }
    check_blocks(node);
    check_epilogue(node);
  }

  void check_blocks(const Node& node) {
    if (node.blocks.empty() && node.captures != 0) broken(node.name, "captures without blocks");
    if (size_t{node.captures} + node.epilogue_inputs > node.inputs.size()) {
      broken(node.name, "{} inputs are fewer than {} captures and {} epilogue operands",
             node.inputs.size(), node.captures, node.epilogue_inputs);
    }
    if (!node.blocks.empty() && (node.epilogue_inputs != 0 || !node.epilogue.empty())) {
      broken(node.name, "a node with blocks cannot have an epilogue");
    }
    const size_t first = node.inputs.size() - node.captures;
    for (const auto& block : node.blocks) {
      if (!block) broken(node.name, "a block is missing");
      const std::vector<ValueId>& formals = block->inputs();
      if (formals.size() < node.captures) {
        broken(node.name, "block '{}' takes {} inputs, fewer than the {} captures", block->name(),
               formals.size(), node.captures);
      }
      for (size_t i = 0; i < node.captures; ++i) {
        const ValueId outer = node.inputs[first + i];
        if (outer == kNoValue) broken(node.name, "capture {} is left out", i);
        const ValueDef& inner = block->value(formals[formals.size() - node.captures + i]);
        const Type& a = graph_.value(outer).type;
        const Type& b = inner.type;
        const bool differ =
            a.kind != Type::Kind::kUnknown && b.kind != Type::Kind::kUnknown &&
            (a.kind != b.kind ||
             (a.dtype != b.dtype && a.dtype != DType::kUndefined && b.dtype != DType::kUndefined));
        if (differ) {
          broken(node.name, "capture '{}' is {}, but block '{}' takes it as {}",
                 graph_.value(outer).name, to_string(a), block->name(), to_string(b));
        }
      }
      if (!deep_) continue;
      try {
        Verifier(*block, true).run();
      } catch (Error& error) {
        error.at_node(node.name);
        throw;
      }
    }
  }

  void check_epilogue(const Node& node) {
    if (node.epilogue.empty() && node.epilogue_inputs != 0) {
      broken(node.name, "epilogue operands without an epilogue");
    }
    if (!node.epilogue.empty() && (node.outputs.empty() || node.outputs[0] == kNoValue)) {
      broken(node.name, "an epilogue without output 0");
    }
    const size_t first = node.operator_inputs();
    std::vector<bool> used(node.epilogue_inputs, false);
    for (const EpilogueOp& step : node.epilogue) {
      int flows = 0;
      for (const int32_t operand : step.operands) {
        if (operand == EpilogueOp::kFlow) {
          ++flows;
        } else if (operand != EpilogueOp::kOmitted) {
          const auto index = static_cast<size_t>(operand);
          if (operand < 0 || index >= node.inputs.size() || node.inputs[index] == kNoValue) {
            broken(node.name, "epilogue {} reads input {}, which does not exist", step.op, operand);
          }
          if (index >= first) used[index - first] = true;
        }
      }
      if (flows != 1) {
        broken(node.name, "epilogue {} has {} flowing operands instead of one", step.op, flows);
      }
    }
    if (!std::ranges::all_of(used, [](bool b) { return b; })) {
      broken(node.name, "an epilogue operand is used by no epilogue operator");
    }
  }

  void check_value(const ValueDef& value, ValueId id) {
    if (value.id != id) broken("", "value {} says its id is {}", id, value.id);
    if (!defined_[id]) {
      // What an erased node or move_output() left behind.
      if (!uses_[id].empty() || !value.uses.empty()) {
        broken("", "value '{}' has uses but no definition", value.name);
      }
      return;
    }
    if (value.name.empty()) broken("", "value {} has no name", id);
    if (graph_.find_value(value.name) != id) {
      broken("", "the name '{}' does not lead to its value", value.name);
    }
    if (value.producer != kNoNode && !nodes_.contains(value.producer)) {
      broken("", "the producer of value '{}' is erased", value.name);
    }
    check_uses(value);
    if (value.constant) check_constant(value);
    if (value.symbolic && static_cast<int64_t>(value.symbolic->elements.size()) !=
                              element_count(value.symbolic->dims)) {
      broken("", "the known content of '{}' does not fill its dims", value.name);
    }
  }

  void check_uses(const ValueDef& value) {
    std::vector<Use> found = uses_[value.id];
    std::vector<Use> told = value.uses;
    const auto less = [](const Use& a, const Use& b) {
      return a.node != b.node ? a.node < b.node : a.input < b.input;
    };
    std::ranges::sort(found, less);
    std::ranges::sort(told, less);
    if (found != told) {
      broken("", "the use list of '{}' has {} entries, but it is used {} times or elsewhere",
             value.name, told.size(), found.size());
    }
  }

  void check_constant(const ValueDef& value) {
    const Tensor& tensor = *value.constant;
    const Type& type = value.type;
    bool same = type.is_tensor() && type.dtype == tensor.dtype() && type.shape &&
                type.shape->size() == tensor.dims().size();
    for (size_t i = 0; same && i < tensor.dims().size(); ++i) {
      same = (*type.shape)[i] == SizeExpr(tensor.dims()[i]);
    }
    if (!same) {
      broken("", "constant '{}' is {} {}, but its type says {}", value.name,
             to_string(tensor.dtype()), dims_to_string(tensor.dims()), to_string(type));
    }
  }

  const Graph& graph_;
  const bool deep_;
  std::vector<bool> defined_;
  std::vector<std::vector<Use>> uses_;  // by value, as found at the nodes
  std::unordered_set<NodeId> nodes_;
  std::unordered_set<std::string_view> node_names_;
};

}  // namespace

void verify(const Graph& graph, bool deep) { Verifier(graph, deep).run(); }

}  // namespace planish::ir
