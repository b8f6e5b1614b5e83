// Chains of Reshape, Flatten, Squeeze and Unsqueeze only rename the same elements, so the last one
// may start from the first one's input. The last becomes a Reshape to its static shape, or keeps
// its own target when that does not refer to the dims of what it reads (a 0 without allowzero
// does). A chain that comes back to the shape it started from disappears.
#include <algorithm>
#include <optional>

#include "passes/match.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace planish::passes {
namespace {

bool renames(const ir::Node& node) {
  return node.epilogue.empty() && node.domain.empty() &&
         (node.op == "Reshape" || node.op == "Flatten" || node.op == "Squeeze" ||
          node.op == "Unsqueeze");
}

// Reads only the element count of its input, so that any input of the same elements will do.
bool target_is_free(const ir::Graph& graph, const ir::Node& node) {
  if (!is_op(node, "Reshape")) return false;
  const auto target = known_ints(graph, input(node, 1));
  return target && std::ranges::find(*target, 0) == target->end();
}

// A target for Reshape that gives the value's shape: no dim may be 0, and one may be open.
std::optional<Dims> reshape_target(const ir::Graph& graph, ir::ValueId value) {
  const Shape* shape = shape_of(graph, value);
  if (shape == nullptr) return std::nullopt;
  Dims dims;
  bool open = false;
  for (const SizeExpr& dim : *shape) {
    const std::optional<int64_t> number = dim.constant();
    if (number ? *number == 0 : open) return std::nullopt;
    open |= !number;
    dims.push_back(number.value_or(-1));
  }
  return dims;
}

bool run(ir::Graph& graph, Context& context) {
  bool changed = false;
  for (const ir::NodeId id : std::vector(graph.order())) {
    const ir::Node& node = graph.node(id);
    if (!renames(node) || unused(graph, node.outputs[0])) continue;
    const ir::Node* before = producer(graph, node.inputs[0]);
    if (before == nullptr || !renames(*before)) continue;
    const ir::ValueId source = before->inputs[0];
    if (same_shape(graph, source, node.outputs[0])) {
      if (!context.fire(node,
                        fmt::format("removed with {}: back at the first shape", before->name))) {
        continue;
      }
      replace_value(graph, node.outputs[0], source);
      graph.erase_node(id);
      changed = true;
      continue;
    }
    // Two readers would keep the first one alive: nothing won.
    if (const std::string kept = why_kept(graph, node.inputs[0]); !kept.empty()) continue;
    const bool free = target_is_free(graph, node);
    const std::optional<Dims> dims = reshape_target(graph, node.outputs[0]);
    if (!free && !dims) {
      context.near_miss(node, fmt::format("the target shape depends on that of {}", before->name));
      continue;
    }
    if (!context.fire(node, fmt::format("joined with {}", before->name))) continue;
    changed = true;
    merge_provenance(graph.node(id), *before);
    graph.set_input(id, 0, source);
    if (free) continue;
    const auto rank = static_cast<int64_t>(dims->size());
    const ir::ValueId target = graph.add_constant(
        node.name + ".shape", Tensor::of<int64_t>({rank}, std::span<const int64_t>(*dims)));
    ir::Node& reshape = graph.node(id);
    while (reshape.inputs.size() > 1) graph.remove_input(id, reshape.inputs.size() - 1);
    graph.append_input(id, target);
    reshape.op = "Reshape";
    reshape.attributes = {};
  }
  return changed;
}

}  // namespace

PLANISH_PASS(merge_reshapes) {
  return {"merge_reshapes", Phase::kCanonicalise, "joins chains of reshapes, squeezes and flattens",
          &run};
}

}  // namespace planish::passes
