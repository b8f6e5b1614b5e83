// Removes what nobody reads: nodes without a used output, captures that no block uses, and fold
// recipes (and the results they hold) of constants that are gone.
//
// Backwards through the order, so that a whole dead chain goes in one run. Dropping a recipe
// changes nothing that is computed and does not count as a rewrite.
#include <algorithm>

#include "ops/op.h"
#include "passes/match.h"
#include "passes/pass.h"

namespace planish::passes {
namespace {

bool is_dead(const ir::Graph& graph, const ir::Node& node) {
  return std::ranges::all_of(node.outputs, [&](ir::ValueId v) { return unused(graph, v); });
}

// Whether block `b` reads its formal of capture `index`.
bool reads(const ir::Node& node, const ir::Graph& block, size_t index) {
  const size_t first = block.inputs().size() - node.captures;
  return !unused(block, block.inputs()[first + index]);
}

bool drop_captures(ir::Graph& graph, ir::NodeId id, Context& context) {
  bool changed = false;
  ir::Node& node = graph.node(id);
  for (size_t index = node.captures; index-- > 0;) {
    if (std::ranges::any_of(node.blocks, [&](const auto& b) { return reads(node, *b, index); })) {
      continue;
    }
    const size_t place = node.inputs.size() - node.captures + index;
    if (!context.fire(node, fmt::format("dropped the capture of '{}': no block reads it",
                                        graph.value(node.inputs[place]).name))) {
      continue;
    }
    for (const auto& block : node.blocks) {
      std::vector<ir::ValueId> formals = block->inputs();
      formals.erase(formals.end() - static_cast<ptrdiff_t>(node.captures - index));
      block->set_inputs(std::move(formals));
    }
    graph.remove_input(id, place);
    --node.captures;
    changed = true;
  }
  return changed;
}

bool run(ir::Graph& graph, Context& context) {
  bool changed = false;
  const std::vector<ir::NodeId> order = graph.order();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const ir::Node& node = graph.node(*it);
    if (!is_dead(graph, node)) {
      if (node.captures > 0) changed |= drop_captures(graph, *it, context);
      continue;
    }
    if (!context.fire(node, fmt::format("removed {}: nobody reads it", node.op))) continue;
    graph.erase_node(*it);
    changed = true;
  }
  const std::vector<ir::NodeId> folded = graph.fold_order();
  for (auto it = folded.rbegin(); it != folded.rend(); ++it) {
    if (!is_dead(graph, graph.node(*it))) continue;
    graph.erase_node(*it);
    changed = true;
  }
  return changed;
}

}  // namespace

PLANISH_PASS(eliminate_dead) {
  return {"eliminate_dead", Phase::kEliminate, "removes nodes and captures that nobody reads",
          &run};
}

}  // namespace planish::passes
