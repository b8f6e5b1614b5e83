#include <array>

#include "ops/test_graphs.h"

namespace planish::ops {
namespace {

using ::testing::HasSubstr;

std::string rejected(std::string_view text) {
  return message_of(ErrorCode::kInvalidModel, [&] {
    const auto graph = parsed(text);
    for (const ir::NodeId id : graph->order()) check(*graph, graph->node(id));
  });
}

TEST(Check, Arity) {
  const std::string few = rejected("graph g(%x: float32[2]) { %y = Add(%x) name \"a\" return %y }");
  EXPECT_THAT(few, HasSubstr("node 'a'"));
  EXPECT_THAT(few, HasSubstr("Add has 1 input(s), but takes 2"));
  EXPECT_THAT(rejected("graph g(%x: float32[2]) { %y = Relu(%x, %x) return %y }"),
              HasSubstr("Relu has 2 input(s), but takes 1"));
  EXPECT_THAT(rejected("graph g(%x: float32[2]) { %y = Add(-, %x) return %y }"),
              HasSubstr("needs its input 0 ('A'), which is left out"));
  EXPECT_THAT(rejected("graph g(%x: float32[2]) { %y, %z = Relu(%x) return %y }"),
              HasSubstr("2 output(s), but takes 1"));
}

TEST(Check, ElementTypes) {
  EXPECT_THAT(rejected("graph g(%x: bool[2]) { %y = Add(%x, %x) return %y }"),
              HasSubstr("cannot be bool; it may be "));
  EXPECT_THAT(rejected("graph g(%x: float32[2], %i: int64[2]) { %y = Add(%x, %i) return %y }"),
              HasSubstr("is int64, but input 0 is float32"));
  EXPECT_THAT(rejected("graph g(%x: float32[2]) { %y: int64[2] = Add(%x, %x) return %y }"),
              HasSubstr("is int64, but input 0 is float32"));
  EXPECT_THAT(rejected("graph g(%x: seq(float32[2])) { %y = Relu(%x) return %y }"),
              HasSubstr("must be a tensor, but 'x' is seq(float32[2])"));
}

TEST(Check, Attributes) {
  const std::string unknown =
      rejected("graph g(%x: float32[2]) { %y = Softmax(%x) {axes = 1} return %y }");
  EXPECT_THAT(unknown, HasSubstr("does not know the attribute 'axes'; Softmax knows axis"));
  EXPECT_THAT(rejected("graph g(%x: float32[2]) { %y = Softmax(%x) {axis = 1.0} return %y }"),
              HasSubstr("attribute 'axis' must be of kind int, not float"));
  EXPECT_THAT(rejected("graph g(%x: float32[2]) { %y = Concat(%x) return %y }"),
              HasSubstr("needs the attribute 'axis'"));
}

TEST(Check, BlocksAndEpilogue) {
  EXPECT_THAT(rejected("graph g(%c: bool[]) { %y = If(%c) return %y }"),
              HasSubstr("has 0 subgraph(s), but needs 2"));
  EXPECT_THAT(rejected("graph g(%x: float32[2]) { %y = Relu(%x) |> Shape() return %y }"),
              HasSubstr("cannot have Shape in its epilogue"));
  EXPECT_THAT(
      rejected("graph g(%x: float32[2]) { %y = Relu(%x) |> LeakyRelu() {beta = 1.0} return %y }"),
      HasSubstr("does not know the attribute 'beta'"));
}

TEST(Check, UnknownOperator) {
  const auto graph = parsed("graph g(%x) { %y = Rellu(%x) return %y }");
  EXPECT_THAT(message_of(ErrorCode::kUnsupported, [&] { check(*graph, graph->node(0)); }),
              HasSubstr("'Rellu' of domain 'ai.onnx' is not known; nearest: Relu"));
}

}  // namespace
}  // namespace planish::ops
