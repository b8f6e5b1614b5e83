// PyTorch's newer exporter writes the global average pool as ReduceMean over the last two axes of
// an image. As GlobalAveragePool it meets the pooling kernels; without kept dims a Squeeze follows.
#include <algorithm>

#include "passes/match.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace planish::passes {
namespace {

bool is_plain_float(DType type) {
  return type == DType::kFloat16 || type == DType::kBfloat16 || type == DType::kFloat32 ||
         type == DType::kFloat64;
}

bool matches(const ir::Graph& graph, const ir::Node& node) {
  if (!is_plain(node, "ReduceMean") || unused(graph, node.outputs[0])) return false;
  const Shape* shape = shape_of(graph, node.inputs[0]);
  if (shape == nullptr || shape->size() != 4) return false;
  if (!is_plain_float(graph.value(node.inputs[0]).type.dtype)) return false;
  auto axes = known_ints(graph, input(node, 1));
  if (!axes || axes->size() != 2) return false;
  for (int64_t& axis : *axes) axis += axis < 0 ? 4 : 0;
  std::ranges::sort(*axes);
  return (*axes)[0] == 2 && (*axes)[1] == 3;
}

bool run(ir::Graph& graph, Context& context) {
  bool changed = false;
  for (const ir::NodeId id : std::vector(graph.order())) {
    const ir::Node& node = graph.node(id);
    if (!matches(graph, node)) continue;
    if (!context.fire(node, "wrote the mean over both image axes as GlobalAveragePool")) continue;
    changed = true;
    const bool keep = node.attributes.get_int("keepdims", 1) != 0;
    ir::Node pool;
    pool.op = "GlobalAveragePool";
    pool.name = node.name + ".pool";
    pool.inputs = {node.inputs[0]};
    pool.provenance = node.provenance;
    const ir::NodeId pooled = graph.add_node(std::move(pool), 1, id);
    const ir::ValueId out = node.outputs[0];
    if (keep) {
      graph.replace_uses(graph.node(pooled).outputs[0], out);
      graph.move_output(out, pooled, 0);
    } else {
      ir::Node squeeze;
      squeeze.op = "Squeeze";
      squeeze.name = node.name + ".squeeze";
      const ir::ValueId axes =
          graph.add_constant(squeeze.name + ".axes", Tensor::of<int64_t>({2}, {2, 3}));
      squeeze.inputs = {graph.node(pooled).outputs[0], axes};
      squeeze.provenance = node.provenance;
      const ir::NodeId squeezed = graph.add_node(std::move(squeeze), 1, id);
      graph.move_output(out, squeezed, 0);
    }
    graph.erase_node(id);
  }
  return changed;
}

}  // namespace

PLANISH_PASS(mean_to_global_pool) {
  return {"mean_to_global_pool", Phase::kCanonicalise,
          "writes the mean over both image axes as GlobalAveragePool", &run};
}

}  // namespace planish::passes
