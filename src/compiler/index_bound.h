// Which integer inputs are used as indices, and how large an index may be.
#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace planish::compiler {

// The smallest exclusive bound that any Gather-like operator reached by `input` (through operators
// that only move, cast or pick elements) puts on its elements; 0 when it reaches none. An open dim
// counts as `open`.
int64_t index_bound(const ir::Graph& graph, ir::ValueId input, int64_t open = 1);

}  // namespace planish::compiler
