// Transpose(Transpose(x, p), q) becomes Transpose(x, r) with r[i] = p[q[i]]; when r moves nothing,
// eliminate_identity takes it out next.
#include <algorithm>

#include "passes/match.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace planish::passes {
namespace {

// Empty when the rank that the default needs is unknown.
Ints permutation(const ir::Graph& graph, const ir::Node& node) {
  if (node.attributes.has("perm")) return node.attributes.get_ints("perm");
  const Shape* shape = shape_of(graph, node.inputs[0]);
  Ints perm(shape == nullptr ? 0 : shape->size());
  for (size_t i = 0; i < perm.size(); ++i) perm[i] = static_cast<int64_t>(perm.size() - 1 - i);
  return perm;
}

bool run(ir::Graph& graph, Context& context) {
  bool changed = false;
  for (const ir::NodeId id : std::vector(graph.order())) {
    const ir::Node& node = graph.node(id);
    if (!is_plain(node, "Transpose") || unused(graph, node.outputs[0])) continue;
    const ir::Node* before = producer(graph, node.inputs[0]);
    if (before == nullptr || !is_plain(*before, "Transpose")) continue;
    const Ints inner = permutation(graph, *before);
    const Ints outer = permutation(graph, node);
    if (inner.empty() || inner.size() != outer.size()) continue;
    Ints joined;
    bool moves = false;
    for (size_t i = 0; i < outer.size(); ++i) {
      joined.push_back(inner.at(static_cast<size_t>(outer[i])));
      moves |= joined[i] != static_cast<int64_t>(i);
    }
    const std::string kept = why_kept(graph, node.inputs[0]);
    if (moves && !kept.empty()) {
      context.near_miss(node, fmt::format("the first transposition, {}, {}", before->name, kept));
      continue;
    }
    if (!context.fire(node, fmt::format("joined with the transposition {}", before->name))) {
      continue;
    }
    merge_provenance(graph.node(id), *before);
    graph.node(id).attributes.set("perm", std::move(joined));
    graph.set_input(id, 0, before->inputs[0]);
    changed = true;
  }
  return changed;
}

}  // namespace

PLANISH_PASS(merge_transposes) {
  return {"merge_transposes", Phase::kCanonicalise, "joins two transpositions into one", &run};
}

}  // namespace planish::passes
