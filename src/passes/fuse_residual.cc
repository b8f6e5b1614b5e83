// Add of two tensors of one shape, one of them made by a Conv, Gemm or MatMul that nobody else
// reads: the Add goes into that node's epilogue (the residual connection of a ResNet). Of two
// candidates the later one takes it, so that its operand is there already. The node may still have
// to move behind the other operand: the order is sorted again.
#include <algorithm>
#include <optional>

#include "passes/match.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace planish::passes {
namespace {

bool takes_residual(const ir::Node& node) {
  return is_op(node, "Conv") || is_op(node, "ConvTranspose") || is_op(node, "Gemm") ||
         is_op(node, "MatMul");
}

class Fuser {
 public:
  Fuser(ir::Graph& graph, Context& context) : graph_(graph), context_(context) {
    places_.resize(graph.node_count(), 0);
    for (size_t i = 0; i < graph.order().size(); ++i) places_[graph.order()[i]] = i;
  }

  bool run() {
    bool changed = false;
    for (const ir::NodeId id : std::vector(graph_.order())) {
      const ir::Node& add = graph_.node(id);
      if (!is_op(add, "Add") || add.operator_inputs() != 2) continue;
      const std::optional<size_t> flow = side(add);
      if (!flow) continue;
      const ir::Node& into = *producer(graph_, add.inputs[*flow]);
      if (!context_.fire(add, fmt::format("went into the epilogue of {}", into.name))) continue;
      absorb(graph_, into.id, id, *flow);
      changed = true;
    }
    if (changed) graph_.sort();
    return changed;
  }

 private:
  // The input whose producer takes the Add.
  std::optional<size_t> side(const ir::Node& add) {
    std::optional<size_t> best;
    for (const size_t flow : {size_t{0}, size_t{1}}) {
      const ir::Node* into = producer(graph_, add.inputs[flow]);
      if (into == nullptr || !takes_residual(*into) || !takes_epilogue(graph_, into->outputs[0])) {
        continue;
      }
      const std::string why = why_not(add, flow, *into);
      if (!why.empty()) {
        context_.near_miss(add, why);
        continue;
      }
      if (!best || places_[into->id] > places_[producer(graph_, add.inputs[*best])->id])
        best = flow;
    }
    return best;
  }

  std::string why_not(const ir::Node& add, size_t flow, const ir::Node& into) const {
    const ir::ValueId out = add.inputs[flow];
    if (const std::string kept = why_kept(graph_, out); !kept.empty()) {
      return fmt::format("the output of {} {}", into.name, kept);
    }
    if (into.epilogue.size() + 1 + add.epilogue.size() > kMaxEpilogue) {
      return fmt::format("{} has a full epilogue", into.name);
    }
    if (!same_shape(graph_, out, add.inputs[1 - flow])) {
      return fmt::format("the operands are not known to have one shape ({} and {})",
                         to_string(graph_.value(out).type),
                         to_string(graph_.value(add.inputs[1 - flow]).type));
    }
    return {};
  }

  ir::Graph& graph_;
  Context& context_;
  std::vector<size_t> places_;  // by node: where it stands in the order
};

bool run(ir::Graph& graph, Context& context) { return Fuser(graph, context).run(); }

}  // namespace

PLANISH_PASS(fuse_residual) {
  return {"fuse_residual", Phase::kFuse, "takes the Add of a residual into the product's epilogue",
          &run};
}

}  // namespace planish::passes
