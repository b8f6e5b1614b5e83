// Placement and lowering: every node of a graph to the first provider that takes it.
#pragma once

#include "compiler/compile.h"
#include "ir/graph.h"
#include "plan/plan.h"

namespace planish::compiler {

// Fills programs, weights, providers and placements of `plan` from the graph. Throws kUnsupported
// naming the node and every provider's reason, or the node that `require` forbids elsewhere.
void lower(const ir::Graph& graph, const CompileOptions& options, plan::Plan& plan);

}  // namespace planish::compiler
