// Dead code and common subexpressions.
#include "passes/test_util.h"

namespace planish::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(EliminateDead, ChainsAndRecipes) {
  const Result r = optimise(R"(graph main(%x: float32[4]) {
  %w = constant float32[4] {1, 2, 3, 4}
  fold %v: float32[4] = Neg(%w) value float32[4] {-1, -2, -3, -4}
  %a = Mul(%x, %v)
  %b = Relu(%a)
  %c, %mask = Dropout(%b)
  %y = Neg(%x)
  return %y
})",
                            only({"eliminate_dead"}));
  EXPECT_EQ(r.nodes(), "%y = Neg(%x)\nreturn %y\n");
  EXPECT_TRUE(r.after->fold_order().empty());
  EXPECT_EQ(r.report.rewrites, 3u) << "a dropped recipe is no rewrite";
}

TEST(EliminateDead, CapturesThatNoBlockReads) {
  const Result r = optimise(R"(graph main(%c: bool[], %x: float32[4], %z: float32[4]) {
  %u = Neg(%z)
  %v = Relu(%z)
  %y = If(%c; %u, %x, %v) with {
    graph then(%u: float32[4], %x: float32[4], %v: float32[4]) {
      %dead = Neg(%u)
      return %x
    }
    graph else(%u: float32[4], %x: float32[4], %v: float32[4]) {
      return %v
    }
  }
  return %y
})",
                            only({"eliminate_dead"}));
  EXPECT_EQ(r.maker("y").captures, 2u);
  EXPECT_THAT(r.fired(),
              ElementsAre("eliminate_dead y/then_branch/dead: removed Neg: nobody reads it",
                          "eliminate_dead y: dropped the capture of 'u': no block reads it",
                          "eliminate_dead u: removed Neg: nobody reads it"));
}

TEST(EliminateCommon, MergesWhatIsEqual) {
  const Result r = optimise(R"(graph main(%x: float32[2, 3]) {
  %s1 = constant float32[] {2}
  %s2 = constant float32[] {2}
  %i1 = constant int64[1] {1}
  %i2 = constant int64[1] {1}
  %w1 = constant float32[3] {1, 2, 3}
  %w2 = constant float32[3] {1, 2, 3}
  %a = Mul(%x, %s1)
  %b = Mul(%x, %s2)
  %c = ReduceSum(%a, %i1)
  %d = ReduceSum(%b, %i2)
  %e = Add(%c, %d)
  %f = Add(%x, %w1)
  %g = Add(%x, %w2)
  %h = Mul(%f, %g)
  return %e, %h
})",
                            only({"eliminate_common"}));
  EXPECT_EQ(r.nodes(),
            "%a = Mul(%x, %s1)\n%c = ReduceSum(%a, %i1)\n%e = Add(%c, %c)\n"
            "%f = Add(%x, %w1)\n%g = Add(%x, %w2)\n%h = Mul(%f, %g)\nreturn %e, %h\n");
}

TEST(EliminateCommon, AttributesByTheirBits) {
  const Result r = optimise(R"(graph main(%x: float32[4]) {
  %a = LeakyRelu(%x) {alpha = 0.0}
  %b = LeakyRelu(%x) {alpha = -0.0}
  %c = LeakyRelu(%x) {alpha = nan}
  %d = LeakyRelu(%x) {alpha = nan}
  %e = Relu(%x)
  %f = Relu(%x) |> Neg()
  return %a, %b, %c, %d, %e, %f
})",
                            only({"eliminate_common"}));
  EXPECT_EQ(r.report.rewrites, 1u);
  EXPECT_THAT(r.nodes(), HasSubstr("return %a, %b, %c, %c, %e, %f"));
}

TEST(EliminateCommon, RandomNodesStay) {
  // Dropout in training draws anew each time.
  const auto graph = ir::parse_graph(R"(graph main(%x: float32[4]) {
  %ratio = constant float32[] {0.5}
  %training = constant bool[] {true}
  %a = Dropout(%x, %ratio, %training)
  %b = Dropout(%x, %ratio, %training)
  %y = Sub(%a, %b)
  return %y
})");
  Context context;
  context.evaluate = evaluate;
  EXPECT_EQ(run(*graph, context).rewrites, 0u);
}

TEST(EliminateCommon, TwinOutputsKeepWhatTheyCan) {
  const Result r = optimise(R"(graph main(%x: float32[4]) {
  %a = Relu(%x)
  %b = Neg(%a)
  %y = Relu(%x)
  return %b, %y
})",
                            only({"eliminate_common"}));
  EXPECT_EQ(r.nodes(), "%y = Relu(%x) name \"a\"\n%b = Neg(%y)\nreturn %b, %y\n");
}

}  // namespace
}  // namespace planish::passes
