// What the tests of import share: import from bytes, and looks at the result.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "onnx/import.h"
#include "onnx/test_models.h"

namespace planish::onnx::testing {

// Keeps the bytes that the model borrows.
struct Imported {
  std::string bytes;
  Model model;
  const ir::Graph& graph() const { return *model.graph; }
};

inline Imported import(const std::string& bytes) {
  Imported i;
  i.bytes = bytes;
  i.model = import_bytes(std::as_bytes(std::span(i.bytes)));
  return i;
}

inline std::string error_of(const std::string& bytes) {
  try {
    import(bytes);
  } catch (const Error& e) {
    EXPECT_NE(e.code(), ErrorCode::kInternal) << e.what();
    return e.what();
  }
  return "(no error)";
}

inline std::vector<std::string> ops_of(const ir::Graph& graph) {
  std::vector<std::string> ops;
  for (const ir::NodeId id : graph.order()) ops.push_back(graph.node(id).op);
  return ops;
}

inline std::vector<std::string> names_of(const ir::Graph& graph,
                                         const std::vector<ir::ValueId>& values) {
  std::vector<std::string> names;
  for (const ir::ValueId id : values)
    names.push_back(id == ir::kNoValue ? "" : graph.value(id).name);
  return names;
}

inline const ir::Node& only_node(const ir::Graph& graph, const std::string& op) {
  for (const ir::NodeId id : graph.order()) {
    if (graph.node(id).op == op) return graph.node(id);
  }
  ADD_FAILURE() << "no " << op;
  return graph.node(graph.order().at(0));
}

// A graph of one node without inputs of its own: a branch of If.
inline std::string branch(const std::string& op, const Names& inputs, const std::string& output) {
  return graph({{node(op, inputs, {output})}, {}, {value(output, "")}}, output);
}

}  // namespace planish::onnx::testing
