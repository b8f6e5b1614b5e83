// Changes that several passes make. Each keeps the graph valid but, where it says so, for the
// order.
#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace planish::passes {

// The most operators behind one node: what the kernels' epilogues hold (kernels/pointwise).
inline constexpr size_t kMaxEpilogue = 4;

// Adds the ONNX nodes behind `from` that `into` does not name yet.
void merge_provenance(ir::Node& into, const ir::Node& from);

// Everything that reads `from` reads `to`, which holds the same elements, from now on. A graph
// output keeps its own value, and so its name, where it can: then the producer of `to` makes `from`
// instead. Otherwise `to` takes its place among the outputs. `from` ends without readers.
// `to` must be made before the first reader of `from`. Returns the one of the two that is left.
ir::ValueId replace_value(ir::Graph& graph, ir::ValueId from, ir::ValueId to);

// Makes `consumer`, a pointwise operator with one output that reads output 0 of `producer` at input
// `flow` and nowhere else, the last operator of the producer's epilogue, its own epilogue included.
// The consumer's output, which keeps its name, becomes the producer's; the consumer is erased.
// The consumer's other operands must not depend on the producer. Where they may come later in the
// order, call graph.sort() afterwards.
void absorb(ir::Graph& graph, ir::NodeId producer, ir::NodeId consumer, size_t flow);

// The same for a consumer whose own operator the producer has taken into its inputs already: only
// the epilogue, the provenance and the output move.
void absorb_epilogue(ir::Graph& graph, ir::NodeId producer, ir::NodeId consumer);

}  // namespace planish::passes
