// Who defines and who reads which name: definitions of a graph, the names it takes from the scopes
// around it, and the order of its nodes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnx/proto.h"

namespace planish::onnx {

// "Conv 'stage1/conv'", "Conv #12" when the node has no name. For messages.
std::string label(const NodeProto& node, size_t index);

// The attribute's subgraphs: none, g, or graphs.
std::vector<const GraphProto*> subgraphs(const AttributeProto& attribute);

// The names a subgraph reads but does not define, those of the graphs inside it included, in order
// of first appearance. Remembered by graph: the tree must not change meanwhile.
class OuterNames {
 public:
  const std::vector<Text>& of(const GraphProto& graph);
  // Over all subgraphs of the node, each name once.
  std::vector<Text> of(const NodeProto& node);

 private:
  std::unordered_map<const GraphProto*, std::vector<Text>> known_;
};

// Throws kInvalidModel, naming both definitions, when a name is defined twice among inputs,
// initializers and node outputs (an initializer may give an input its value), or is empty where one
// is needed.
void check_definitions(const GraphProto& graph);
void check_definitions(const FunctionProto& function);

// The nodes' indices in an order in which each follows those it reads from: the file's own order
// wherever that holds. Throws kInvalidModel naming the nodes of a cycle. *sorted tells whether the
// order had to change.
std::vector<size_t> node_order(std::span<const NodeProto> nodes, OuterNames& outer, bool* sorted);

}  // namespace planish::onnx
