// Adding a node of any opset to a graph: schema range, upgrade to the canonical form, check and
// inference in one step. The importer builds graphs with it, node by node in topological order.
#pragma once

#include <vector>

#include "ops/op.h"

namespace planish::ops {

// Turns `node`, written for opset `from_opset` of its domain, into canonical form and appends it
// with the helper nodes that the upgrade asks for, in order: helpers, the node, those after it.
// Returns their ids. All of them carry the node's provenance; helpers are named after the node.
//
// `node.outputs` are values that the graph has already, with their declared types; inputs are typed
// because everything before was added in the same way. Every node added has passed check() and
// infer_node(). Domain "ai.onnx" becomes "".
//
// A block under construction first calls Graph::inherit_symbols(parent), so that symbols made for
// it differ from the parent's.
//
// Throws kUnsupported for an unknown operator (naming the nearest), kInvalidModel for one that the
// opset does not have (naming the number to raise or lower to) and for everything check() and
// inference reject; all name the node.
std::vector<ir::NodeId> add_upgraded(ir::Graph& graph, ir::Node node, int from_opset);

}  // namespace planish::ops
