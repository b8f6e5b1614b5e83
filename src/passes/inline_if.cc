// An If whose condition is a constant: the nodes of the branch taken move in front of the If, its
// captures become the outer values themselves, and the If goes.
#include <unordered_map>

#include "base/elements.h"
#include "passes/match.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace planish::passes {
namespace {

// Moves one node of the branch, live or folded, to the outer graph.
class Inliner {
 public:
  Inliner(ir::Graph& outer, ir::Graph& block, ir::NodeId before)
      : outer_(outer), block_(block), before_(before) {}

  void bind(ir::ValueId inner, ir::ValueId outer) { outer_of_[inner] = outer; }

  ir::ValueId outer_value(ir::ValueId inner) {
    if (inner == ir::kNoValue) return ir::kNoValue;
    if (const auto it = outer_of_.find(inner); it != outer_of_.end()) return it->second;
    ir::ValueDef& def = block_.value(inner);
    const ir::ValueId made = def.constant && def.producer == ir::kNoNode
                                 ? outer_.add_constant(def.name, std::move(*def.constant))
                                 : outer_.add_value(def.name, def.type);
    outer_.value(made).onnx_name = def.onnx_name;
    outer_.value(made).symbolic = def.symbolic;
    bind(inner, made);
    return made;
  }

  ir::NodeId move(ir::NodeId id) {
    ir::Node& from = block_.node(id);
    ir::Node to;
    to.domain = from.domain;
    to.op = from.op;
    to.name = from.name;
    for (const ir::ValueId in : from.inputs) to.inputs.push_back(outer_value(in));
    for (const ir::ValueId out : from.outputs) to.outputs.push_back(outer_value(out));
    to.attributes = std::move(from.attributes);
    to.blocks = std::move(from.blocks);
    to.captures = from.captures;
    to.epilogue_inputs = from.epilogue_inputs;
    to.epilogue = std::move(from.epilogue);
    to.provenance = std::move(from.provenance);
    return outer_.add_node(std::move(to), 0, before_);
  }

  void move_folded(ir::NodeId id) {
    std::vector<Tensor> results;
    for (const ir::ValueId out : block_.node(id).outputs) {
      results.push_back(out == ir::kNoValue ? Tensor() : std::move(*block_.value(out).constant));
    }
    outer_.fold_node(move(id), std::move(results));
  }

 private:
  ir::Graph& outer_;
  ir::Graph& block_;
  ir::NodeId before_;
  std::unordered_map<ir::ValueId, ir::ValueId> outer_of_;
};

void inline_branch(ir::Graph& graph, ir::NodeId id, size_t branch) {
  ir::Node& node = graph.node(id);
  ir::Graph& block = *node.blocks[branch];
  Inliner inliner(graph, block, id);
  const size_t first_capture = node.inputs.size() - node.captures;
  for (size_t i = 0; i < block.inputs().size(); ++i) {
    inliner.bind(block.inputs()[i], node.inputs[first_capture + i]);
  }
  for (const ir::NodeId folded : block.fold_order()) inliner.move_folded(folded);
  for (const ir::NodeId live : block.order()) inliner.move(live);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const ir::ValueId out = node.outputs[i];
    if (out == ir::kNoValue) continue;
    const ir::ValueId inner = block.outputs()[i];
    inliner.bind(inner, replace_value(graph, out, inliner.outer_value(inner)));
  }
  graph.erase_node(id);
}

bool run(ir::Graph& graph, Context& context) {
  bool changed = false;
  for (const ir::NodeId id : std::vector(graph.order())) {
    const ir::Node& node = graph.node(id);
    if (!is_plain(node, "If") || node.blocks.size() != 2) continue;
    const Tensor* condition = constant(graph, node.inputs[0]);
    if (condition == nullptr) {
      context.near_miss(node, "its condition is known at run time only");
      continue;
    }
    if (condition->dtype() != DType::kBool || condition->size() != 1) continue;
    const size_t branch = load_int(*condition, 0) != 0 ? 0 : 1;
    if (node.outputs.size() != node.blocks[branch]->outputs().size()) continue;
    if (!context.fire(node, fmt::format("replaced If by its {} branch: the condition is constant",
                                        branch == 0 ? "then" : "else"))) {
      continue;
    }
    inline_branch(graph, id, branch);
    changed = true;
  }
  return changed;
}

}  // namespace

PLANISH_PASS(inline_if) {
  return {"inline_if", Phase::kFold, "replaces an If with a constant condition by its branch",
          &run};
}

}  // namespace planish::passes
