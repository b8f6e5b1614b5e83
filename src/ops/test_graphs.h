// Graphs from text for the tests of this folder.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace planish::ops {

inline std::unique_ptr<ir::Graph> parsed(std::string_view text) {
  auto graph = ir::parse_graph(text);
  ir::verify(*graph);
  return graph;
}

// Parsed, checked against the schemas and inferred.
inline std::unique_ptr<ir::Graph> inferred(std::string_view text) {
  auto graph = parsed(text);
  for (const ir::NodeId id : graph->order()) check(*graph, graph->node(id));
  infer(*graph);
  ir::verify(*graph);
  return graph;
}

inline std::string type_of(const ir::Graph& graph, std::string_view name) {
  const ir::ValueId id = graph.find_value(name);
  return id == ir::kNoValue ? "no such value" : to_string(graph.value(id).type);
}
inline std::string content_of(const ir::Graph& graph, std::string_view name) {
  const ir::ValueId id = graph.find_value(name);
  if (id == ir::kNoValue || !graph.value(id).symbolic) return "unknown";
  return to_string(Shape(graph.value(id).symbolic->elements));
}

inline std::vector<Value> run(const ir::Graph& graph,
                              const std::vector<Value>& inputs,
                              InterpretOptions options = {}) {
  std::vector<const Value*> pointers;
  for (const Value& value : inputs) pointers.push_back(&value);
  options.check_types = true;
  return interpret(graph, pointers, options);
}

inline std::vector<float> floats_of(const Value& value) {
  const auto data = value.tensor().data<float>();
  return {data.begin(), data.end()};
}
inline std::vector<int64_t> ints_of(const Value& value) {
  const auto data = value.tensor().data<int64_t>();
  return {data.begin(), data.end()};
}

// The message of the Error that `f` throws; a test failure when it throws none or another code.
template <class F>
std::string message_of(ErrorCode code, const F& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(to_string(error.code()), to_string(code)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace planish::ops
