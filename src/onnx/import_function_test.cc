// Import of model-local functions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/test_import.h"

namespace planish::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace testing;  // NOLINT: the builders

const std::string kLoc = opset("loc", 1), kMain = opset("", 15);

TEST(ImportFunctions, BodiesReplaceCalls) {
  const std::string f =
      function({"loc",
                "F",
                {"a", "b"},
                {"r"},
                {},
                {node("Add", {"a", "b"}, {"t"}, {}, {"sum"}), node("Relu", {"t"}, {"r"})},
                {},
                {kMain}});
  const Imported i = import(model({{node("F", {"x", "x"}, {"h"}, {}, {"one", "loc"}),
                                    node("F", {"h", "x"}, {"y"}, {}, {"two", "loc"})},
                                   {f32("x", {2})},
                                   {value("y", "")}},
                                  {8, {kMain, kLoc}, {f}}));
  const ir::Graph& g = i.graph();
  EXPECT_THAT(ops_of(g), ElementsAre("Add", "Relu", "Add", "Relu"));
  EXPECT_EQ(g.node(g.order()[0]).name, "one/sum");
  // Values of the model keep their names; those inside a call have none in the file.
  EXPECT_EQ(g.value(g.find_value("h")).onnx_name, "h");
  EXPECT_EQ(g.value(g.find_value("one/t")).onnx_name, "");
  EXPECT_THAT(names_of(g, g.outputs()), ElementsAre("y"));
}

TEST(ImportFunctions, AttributesAndDefaults) {
  const std::string f =
      function({"loc",
                "F",
                {"a"},
                {"r"},
                {"slope"},
                {node("LeakyRelu", {"a"}, {"t"}, {attr_ref("alpha", 1, "slope")}),
                 node("LeakyRelu", {"t"}, {"r"}, {attr_ref("alpha", 1, "second")})},
                {attr_float("second", 0.5f)},
                {kMain}});
  const std::string outer =
      function({"loc",
                "G",
                {"a"},
                {"r"},
                {"s"},
                {node("F", {"a"}, {"r"}, {attr_ref("slope", 1, "s")}, {"inner", "loc"})},
                {},
                {kMain, kLoc}});
  const Imported i =
      import(model({{node("G", {"x"}, {"y"}, {attr_float("s", 0.125f)}, {"call", "loc"})},
                    {f32("x", {2})},
                    {value("y", "")}},
                   {8, {kMain, kLoc}, {f, outer}}));
  const ir::Graph& g = i.graph();
  ASSERT_THAT(ops_of(g), ElementsAre("LeakyRelu", "LeakyRelu"));
  EXPECT_EQ(g.node(g.order()[0]).attributes.get_float("alpha"), 0.125f);
  EXPECT_EQ(g.node(g.order()[1]).attributes.get_float("alpha"), 0.5f);
  EXPECT_THAT(g.node(g.order()[0]).name, HasSubstr("call/inner/LeakyRelu"));
  EXPECT_THAT(error_of(model({{node("F", {"x"}, {"y"}, {attr_float("wat", 1)}, {"c", "loc"})},
                              {f32("x", {2})},
                              {value("y", "")}},
                             {8, {kMain, kLoc}, {f}})),
              HasSubstr("no attribute 'wat'"));
}

TEST(ImportFunctions, PassedThroughInputsAndOmittedOnes) {
  const std::string f = function(
      {"loc", "F", {"a", "b"}, {"r", "s"}, {}, {node("Clip", {"a", "b"}, {"r"})}, {}, {kMain}});
  const std::string pass = function({"loc", "P", {"a"}, {"a", "a"}, {}, {}, {}, {kMain}});
  const Imported i = import(model(
      {{node("F", {"x"}, {"h"}, {}, {"f", "loc"}), node("P", {"h"}, {"y", "z"}, {}, {"p", "loc"})},
       {f32("x", {2})},
       {value("y", ""), value("z", "")}},
      {8, {kMain, kLoc}, {f, pass}}));
  EXPECT_THAT(ops_of(i.graph()), ElementsAre("Clip", "Identity", "Identity"));
  EXPECT_THAT(names_of(i.graph(), i.graph().outputs()), ElementsAre("y", "z"));
  EXPECT_EQ(only_node(i.graph(), "Clip").inputs.size(), 1u);
}

TEST(ImportFunctions, OwnOpset) {
  // In opset 12 Softmax flattens: the function's own import decides, not the model's.
  const std::string f = function({"loc",
                                  "F",
                                  {"a"},
                                  {"r"},
                                  {},
                                  {node("Clip", {"a"}, {"r"}, {attr_float("max", 1)})},
                                  {},
                                  {opset("", 6)}});
  EXPECT_EQ(
      error_of(model(
          {{node("F", {"x"}, {"y"}, {}, {"f", "loc"})}, {f32("x", {2, 3, 4})}, {value("y", "")}},
          {8, {kMain, kLoc}, {f}})),
      "(no error)");
}

TEST(ImportFunctions, RecursionIsRefused) {
  const auto calls = [](const std::string& name, const std::string& callee) {
    return function({"loc",
                     name,
                     {"a"},
                     {"r"},
                     {},
                     {node(callee, {"a"}, {"r"}, {}, {"", "loc"})},
                     {},
                     {kMain, kLoc}});
  };
  const GraphParts main = {
      {node("F", {"x"}, {"y"}, {}, {"", "loc"})}, {f32("x", {2})}, {value("y", "")}};
  EXPECT_THAT(error_of(model(main, {8, {kMain, kLoc}, {calls("F", "F")}})),
              HasSubstr("loc.F -> loc.F"));
  EXPECT_THAT(error_of(model(main, {8, {kMain, kLoc}, {calls("F", "G"), calls("G", "F")}})),
              HasSubstr("loc.F -> loc.G -> loc.F"));
}

TEST(ImportFunctions, ExpansionIsBounded) {
  // 2^40 nodes in 40 functions of two calls each: refused by counting, not by trying.
  Parts functions;
  for (int level = 0; level < 40; ++level) {
    const std::string callee = "F" + std::to_string(level + 1);
    const Parts body = level == 39 ? Parts{node("Relu", {"a"}, {"r"})}
                                   : Parts{node(callee, {"a"}, {"t"}, {}, {"", "loc"}),
                                           node(callee, {"t"}, {"r"}, {}, {"", "loc"})};
    functions.push_back(
        function({"loc", "F" + std::to_string(level), {"a"}, {"r"}, {}, body, {}, {kMain, kLoc}}));
  }
  EXPECT_THAT(error_of(model(
                  {{node("F0", {"x"}, {"y"}, {}, {"", "loc"})}, {f32("x", {2})}, {value("y", "")}},
                  {8, {kMain, kLoc}, functions})),
              HasSubstr("expands to over"));
  // A chain of 10,000 functions would exhaust the stack.
  Parts chain;
  for (int level = 0; level < 10'000; ++level) {
    chain.push_back(
        function({"loc",
                  "F" + std::to_string(level),
                  {"a"},
                  {"r"},
                  {},
                  {node("F" + std::to_string(level + 1), {"a"}, {"r"}, {}, {"", "loc"})},
                  {},
                  {kMain, kLoc}}));
  }
  EXPECT_THAT(error_of(model(
                  {{node("F0", {"x"}, {"y"}, {}, {"", "loc"})}, {f32("x", {2})}, {value("y", "")}},
                  {8, {kMain, kLoc}, chain})),
              HasSubstr("nest more than"));
}

TEST(ImportFunctions, InsideSubgraphsOfBodies) {
  // The body's If reads the function's own input.
  const std::string f = function({"loc",
                                  "F",
                                  {"c", "a"},
                                  {"r"},
                                  {},
                                  {node("If", {"c"}, {"r"},
                                        {attr_graph("then_branch", branch("Neg", {"a"}, "t")),
                                         attr_graph("else_branch", branch("Abs", {"a"}, "e"))})},
                                  {},
                                  {kMain}});
  const Imported i = import(model({{node("F", {"k", "x"}, {"y"}, {}, {"call", "loc"})},
                                   {boolean("k"), f32("x", {2})},
                                   {value("y", "")}},
                                  {8, {kMain, kLoc}, {f}}));
  const ir::Node& n = only_node(i.graph(), "If");
  EXPECT_THAT(names_of(i.graph(), n.inputs), ElementsAre("k", "x"));
}

}  // namespace
}  // namespace planish::onnx
