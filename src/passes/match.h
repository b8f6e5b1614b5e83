// Questions that passes ask about a graph. All are read-only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace planish::passes {

// An ai.onnx operator of this name with nothing fused behind it.
bool is_plain(const ir::Node& node, std::string_view op);
bool is_op(const ir::Node& node, std::string_view op);  // the same, an epilogue or not

// The live node that makes the value; null for inputs, constants and omitted values.
const ir::Node* producer(const ir::Graph& graph, ir::ValueId value);

// Null when omitted or not constant.
const Tensor* constant(const ir::Graph& graph, ir::ValueId value);
// Input `index` of the node, kNoValue when there is none; epilogue operands do not count.
ir::ValueId input(const ir::Node& node, size_t index);
// Known integer content: a constant, or symbolic content that is constant throughout.
std::optional<std::vector<int64_t>> known_ints(const ir::Graph& graph, ir::ValueId value);

// Whether nobody reads the value.
bool unused(const ir::Graph& graph, ir::ValueId value);
// Why the value must stay ("is a graph output", "has 3 users"); empty when exactly one node reads
// it, once, and it is no graph output.
std::string why_kept(const ir::Graph& graph, ir::ValueId value);

const Shape* shape_of(const ir::Graph& graph, ir::ValueId value);
// Both shapes are known and equal for every binding of the symbols.
bool same_shape(const ir::Graph& graph, ir::ValueId a, ir::ValueId b);
// Broadcasting `operand` against `flow` gives the shape of `flow`, whatever the symbols are.
bool keeps_shape(const Shape& flow, const Shape& operand);

// Whether operators may be fused behind the node that makes the value: epilogues work on floats of
// known rank, elsewhere they would only take the node away from the kernels that have it.
bool takes_epilogue(const ir::Graph& graph, ir::ValueId value);

}  // namespace planish::passes
