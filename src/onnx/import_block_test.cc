// Import of subgraphs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/test_import.h"

namespace planish::onnx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace testing;  // NOLINT: the builders

TEST(ImportBlocks, CapturesAreExplicit) {
  const Imported i =
      import(model({{node("Relu", {"x"}, {"h"}),
                     node("If", {"c"}, {"y"},
                          {attr_graph("else_branch", branch("Abs", {"x"}, "e")),
                           attr_graph("then_branch", branch("Add", {"h", "x"}, "t"))})},
                    {boolean("c"), f32("x", {2})},
                    {value("y", "")}}));
  const ir::Node& n = only_node(i.graph(), "If");
  EXPECT_EQ(n.captures, 2u);
  EXPECT_THAT(names_of(i.graph(), n.inputs), ElementsAre("c", "x", "h"));
  ASSERT_EQ(n.blocks.size(), 2u);
  // Block 0 is the then branch, whatever the order in the file; both have the same inputs.
  EXPECT_THAT(ops_of(*n.blocks[0]), ElementsAre("Add"));
  EXPECT_THAT(ops_of(*n.blocks[1]), ElementsAre("Abs"));
  for (const auto& block : n.blocks)
    EXPECT_THAT(names_of(*block, block->inputs()), ElementsAre("x", "h"));
  EXPECT_EQ(to_string(n.blocks[0]->value(n.blocks[0]->outputs()[0]).type), "float32[2]");
}

TEST(ImportBlocks, ConstantsAreRepeatedInside) {
  const Imported i = import(model({{node("If", {"c"}, {"y"},
                                         {attr_graph("then_branch", branch("Add", {"x", "w"}, "t")),
                                          attr_graph("else_branch", branch("Abs", {"x"}, "e"))})},
                                   {boolean("c"), f32("x", {2})},
                                   {value("y", "")},
                                   {floats("w", {2}, {1, 2})}}));
  const ir::Node& n = only_node(i.graph(), "If");
  EXPECT_EQ(n.captures, 1u);
  const ir::Graph& then = *n.blocks[0];
  EXPECT_TRUE(then.value(then.find_value("w")).is_constant());
  EXPECT_EQ(n.blocks[1]->find_value("w"), ir::kNoValue);
}

TEST(ImportBlocks, DeepCapturesPassThroughEveryLevel) {
  const std::string inner = graph({{node("If", {"c"}, {"m"},
                                         {attr_graph("then_branch", branch("Neg", {"x"}, "t2")),
                                          attr_graph("else_branch", branch("Abs", {"x"}, "e2"))})},
                                   {},
                                   {value("m", "")}});
  const Imported i = import(model({{node("If", {"c"}, {"y"},
                                         {attr_graph("then_branch", inner),
                                          attr_graph("else_branch", branch("Relu", {"x"}, "e1"))})},
                                   {boolean("c"), f32("x", {2})},
                                   {value("y", "")}}));
  const ir::Node& n = only_node(i.graph(), "If");
  EXPECT_THAT(names_of(i.graph(), n.inputs), ElementsAre("c", "c", "x"));
  const ir::Node& nested = only_node(*n.blocks[0], "If");
  EXPECT_THAT(names_of(*n.blocks[0], nested.inputs), ElementsAre("c", "x"));
}

TEST(ImportBlocks, LoopWithOmittedCondition) {
  const std::string body =
      graph({{node("Identity", {"ci"}, {"co"}), node("Add", {"s", "x"}, {"so"})},
             {value("it", tensor_type(kI64, {})), boolean("ci"), f32("s", {2})},
             {value("co", ""), value("so", "")}});
  const Imported i =
      import(model({{node("Loop", {"m", "", "x"}, {"y"}, {attr_graph("body", body)})},
                    {value("m", tensor_type(kI64, {})), f32("x", {2})},
                    {value("y", "")}}));
  const ir::Node& n = only_node(i.graph(), "Loop");
  EXPECT_THAT(names_of(i.graph(), n.inputs), ElementsAre("m", "", "x", "x"));
  EXPECT_EQ(n.captures, 1u);
  EXPECT_THAT(n.blocks[0]->inputs().size(), 4u);
}

TEST(ImportBlocks, ShadowingIsRefused) {
  const std::string then =
      graph({{node("Neg", {"x"}, {"k"}), node("Abs", {"k"}, {"t"})}, {}, {value("t", "")}});
  EXPECT_THAT(error_of(model({{node("If", {"c"}, {"y"},
                                    {attr_graph("then_branch", then),
                                     attr_graph("else_branch", branch("Abs", {"x"}, "e"))},
                                    {"choose"})},
                              {boolean("c"), f32("x", {2})},
                              {value("y", "")},
                              {floats("k", {2}, {1, 1})}})),
              AllOf(HasSubstr("defines 'k' again")));
}

TEST(ImportBlocks, InterfacesAreChecked) {
  const auto with = [](const std::string& then, const Names& outputs) {
    return error_of(model({{node("If", {"c"}, outputs,
                                 {attr_graph("then_branch", then),
                                  attr_graph("else_branch", branch("Abs", {"x"}, "e"))})},
                           {boolean("c"), f32("x", {2})},
                           {value("y", "")}}));
  };
  EXPECT_EQ(with(branch("Neg", {"x"}, "t"), {"y"}), "(no error)");
  EXPECT_THAT(with(branch("Neg", {"x"}, "t"), {"y", "z"}),
              HasSubstr("'then_branch' has 1 outputs, expected 2"));
  EXPECT_THAT(with(graph({{node("Neg", {"q"}, {"t"})}, {f32("q", {2})}, {value("t", "")}}), {"y"}),
              HasSubstr("'then_branch' has 1 inputs, expected 0"));
  EXPECT_THAT(
      error_of(
          model({{node("If", {"c"}, {"y"}, {attr_graph("then_branch", branch("Abs", {"x"}, "e"))})},
                 {boolean("c"), f32("x", {2})},
                 {value("y", "")}})),
      HasSubstr("lacks the subgraph 'else_branch'"));
  EXPECT_THAT(
      error_of(model({{node("Relu", {"x"}, {"y"}, {attr_graph("body", branch("Abs", {"x"}, "e"))})},
                      {f32("x", {2})},
                      {value("y", "")}})),
      HasSubstr("takes no subgraph 'body'"));
}

}  // namespace
}  // namespace planish::onnx
