// Export: what comes back from import is the same graph, under the same names.
#include "onnx/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/import.h"
#include "onnx/test_models.h"

namespace planish::onnx {
namespace {

using ::testing::ElementsAre;
using namespace testing;  // NOLINT: the builders

std::string exported(const ir::Graph& graph) { return write(export_graph(graph).model()); }

// Imports, exports, imports again: the printed graphs must agree.
void check_round_trip(const std::string& bytes) {
  const Model first = import_bytes(std::as_bytes(std::span(bytes)));
  first.graph->producer = "planish";  // what export signs with
  const std::string again = exported(*first.graph);
  const Model second = import_bytes(std::as_bytes(std::span(again)));
  EXPECT_EQ(ir::print(*second.graph), ir::print(*first.graph));
}

TEST(Export, GraphsComeBack) {
  check_round_trip(model({{node("Add", {"x", "w"}, {"h"}), node("Clip", {"h", "", "hi"}, {"y"})},
                          {f32("x", {"N", 2})},
                          {f32("y", {"N", 2})},
                          {floats("w", {2}, {1, 2}), floats("hi", {}, {6})}},
                         {13, {opset("", 26)}}));
}

TEST(Export, AttributesOfEveryKind) {
  check_round_trip(model(
      {{node("Conv", {"x", "w"}, {"h"},
             {attr_string("auto_pad", "SAME_UPPER"), attr_ints("strides", {2, 2}),
              attr_int("group", 1)}),
        node("LeakyRelu", {"h"}, {"k"}, {attr_float("alpha", 0.25f)}), node("Shape", {"k"}, {"s"}),
        node("ConstantOfShape", {"s"}, {"y"}, {attr_tensor("value", floats("", {1}, {3}))})},
       {f32("x", {"N", 1, 8, 8})},
       {value("y", "")},
       {floats("w", {1, 1, 2, 2}, {1, 2, 3, 4})}},
      {13, {opset("", 26)}}));
}

TEST(Export, SubgraphsReadOuterNamesAgain) {
  const auto branch = [](const std::string& op, const std::string& out) {
    return graph({{node(op, {"x"}, {out})}, {}, {value(out, "")}}, out);
  };
  const std::string bytes = model({{node("If", {"c"}, {"y"},
                                         {attr_graph("then_branch", branch("Neg", "t")),
                                          attr_graph("else_branch", branch("Abs", "e"))})},
                                   {boolean("c"), f32("x", {2})},
                                   {value("y", "")}},
                                  {13, {opset("", 26)}});
  check_round_trip(bytes);
  const Model m = import_bytes(std::as_bytes(std::span(bytes)));
  const Document d = export_graph(*m.graph);
  const NodeProto& n = d.model().graph->node.at(0);
  EXPECT_THAT(n.input, ElementsAre("c"));
  for (const AttributeProto& a : n.attribute) {
    EXPECT_TRUE(a.g->input.empty());
    EXPECT_THAT(a.g->node.at(0).input, ElementsAre("x"));
  }
}

TEST(Export, EpiloguesBecomeNodes) {
  const std::string bytes = model({{node("MatMul", {"x", "w"}, {"y"}, {}, {"mm"})},
                                   {f32("x", {2, 2}), f32("b", {2})},
                                   {f32("y", {2, 2})},
                                   {floats("w", {2, 2}, {1, 2, 3, 4})}});
  Model m = import_bytes(std::as_bytes(std::span(bytes)));
  ir::Graph& g = *m.graph;
  const ir::NodeId id = g.order().at(0);
  g.append_input(id, g.find_value("b"));
  g.node(id).epilogue_inputs = 1;
  g.node(id).epilogue = {{"", "Add", {}, {ir::EpilogueOp::kFlow, 2}},
                         {"", "Relu", {}, {ir::EpilogueOp::kFlow}}};
  const Document d = export_graph(g);
  const std::vector<NodeProto>& nodes = d.model().graph->node;
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].input.size(), 2u);
  EXPECT_THAT(nodes[1].input, ElementsAre(nodes[0].output[0], "b"));
  EXPECT_THAT(nodes[2].input, ElementsAre(nodes[1].output[0]));
  EXPECT_THAT(nodes[2].output, ElementsAre("y"));
}

TEST(Export, OutputsThatNoNodeMakes) {
  const std::string bytes = model({{},
                                   {f32("x", {2})},
                                   {value("w", ""), value("x", ""), value("x", "")},
                                   {floats("w", {1}, {1})}});
  const Model m = import_bytes(std::as_bytes(std::span(bytes)));
  const Document d = export_graph(*m.graph);
  std::vector<Text> names;
  for (const ValueInfoProto& v : d.model().graph->output) names.push_back(text(v.name));
  // Names stay where they can; two outputs of one name are not allowed.
  EXPECT_THAT(names, ElementsAre("w", "x", "x_out"));
}

}  // namespace
}  // namespace planish::onnx
