#include "passes/test_util.h"

namespace planish::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result canonical(std::string_view text) {
  return optimise(text, only({"eliminate_identity", "eliminate_dead", "merge_casts",
                              "merge_transposes", "merge_reshapes"}));
}

TEST(EliminateIdentity, TakesOutEveryKind) {
  const Result r = canonical(R"(graph main(%x: float32[2, 3, 4]) {
  %ratio = constant float32[] {0.5}
  %same = constant int64[3] {2, 3, 4}
  %minus = constant int64[3] {0, -1, 4}
  %ones = constant int64[3] {1, 1, 1}
  %none = constant int64[0] {}
  %zero3 = constant int64[3] {0, 0, 0}
  %far = constant int64[3] {9, 9, 9}
  %zero6 = constant int64[6] {0, 0, 0, 0, 0, 0}
  %one = constant float32[] {1}
  %one1 = constant float32[1, 1] {1}
  %zero = constant float32[] {0}
  %mzero = constant float32[] {-0}
  %a = Identity(%x)
  %b = Dropout(%a, %ratio)
  %c = Cast(%b) {to = 1}
  %d = Reshape(%c, %same)
  %e = Reshape(%d, %minus)
  %f = Transpose(%e) {perm = [0, 1, 2]}
  %g = Expand(%f, %ones)
  %h = Tile(%g, %ones)
  %i = Slice(%h, %zero3, %far)
  %j = Pad(%i, %zero6)
  %k = Concat(%j) {axis = 1}
  %l = Mul(%k, %one)
  %m = Div(%l, %one1)
  %n = Add(%mzero, %m)
  %o = Sub(%n, %zero)
  %p = Sum(%o)
  %y = Relu(%p)
  return %y
})");
  EXPECT_EQ(r.nodes(), "%y = Relu(%x)\nreturn %y\n");
  EXPECT_EQ(r.report.rewrites, 16u);
}

TEST(EliminateIdentity, KeepsTheRankThatOnlyTheRemovedNodeKnew) {
  // Without an iteration, the rank of a stacked output comes from the body's type alone.
  const auto graph = ir::parse_graph(R"(graph main(%x: bool[?]) {
  %y = Transpose(%x) {perm = [0]}
  %z = Not(%y)
  return %z
})");
  ops::infer(*graph);
  Context context;
  EXPECT_EQ(run(*graph, context, only({"eliminate_identity"})).rewrites, 1u);
  EXPECT_THAT(to_string(graph->value(graph->inputs()[0]).type), ::testing::StartsWith("bool[d"));
}

TEST(EliminateIdentity, LeavesWhatOnlyLooksLikeOne) {
  // Reversed slice, padding that cuts and adds, float + 0, 0 - x, 1 / x, a larger constant.
  const std::string_view text = R"(graph main(%x: float32[2, 3], %i: int32[1]) {
  %ends = constant int64[1] {-9}
  %starts = constant int64[1] {2}
  %axes = constant int64[1] {1}
  %back = constant int64[1] {-1}
  %pads = constant int64[4] {0, 1, 0, -1}
  %zero = constant float32[] {0}
  %mzero = constant float32[] {-0}
  %one = constant float32[] {1}
  %wide = constant float32[1, 1, 3] {1, 1, 1}
  %izero = constant int32[2] {0, 0}
  %a = Slice(%x, %starts, %ends, %axes, %back)
  %b = Pad(%x, %pads)
  %c = Add(%x, %zero)
  %d = Sub(%x, %mzero)
  %e = Sub(%zero, %x)
  %f = Div(%one, %x)
  %g = Mul(%x, %wide)
  %h = Add(%i, %izero)
  %t = Transpose(%x)
  return %a, %b, %c, %d, %e, %f, %g, %h, %t
})";
  const Result r = canonical(text);
  EXPECT_EQ(r.report.rewrites, 0u) << ::testing::PrintToString(r.fired());
}

TEST(EliminateIdentity, IntegersMayAddZero) {
  const Result r = canonical(R"(graph main(%i: int32[N, 3]) {
  %zero = constant int32[1, 3] {0, 0, 0}
  %a = Add(%i, %zero)
  %y = Neg(%a)
  return %y
})");
  EXPECT_EQ(r.nodes(), "%y = Neg(%i)\nreturn %y\n");
}

TEST(EliminateIdentity, DropoutWhoseMaskIsUsedStays) {
  const Result r = canonical(R"(graph main(%x: float32[4]) {
  %y, %mask = Dropout(%x)
  return %y, %mask
})");
  EXPECT_EQ(r.report.rewrites, 0u);
  EXPECT_THAT(r.missed(), ElementsAre(HasSubstr("its mask is used")));
}

TEST(EliminateIdentity, OutputsKeepTheirNames) {
  // y is an output behind a node: the node makes it. z equals an input, w a value that is an
  // output.
  const Result r = canonical(R"(graph main(%x: float32[4]) {
  %a = Relu(%x)
  %y = Identity(%a)
  %b = Neg(%a)
  %z = Identity(%x)
  %w = Identity(%y)
  return %y, %b, %z, %w
})");
  EXPECT_EQ(r.nodes(), "%y = Relu(%x) name \"a\"\n%b = Neg(%y)\nreturn %y, %b, %x, %y\n");
}

TEST(EliminateIdentity, InsideBlocksToo) {
  const Result r = canonical(R"(graph main(%c: bool[], %x: float32[4]) {
  %y = If(%c; %x) with {
    graph then(%x: float32[4]) {
      %a = Identity(%x)
      %b = Relu(%a)
      return %b
    }
    graph else(%x: float32[4]) {
      %a = Identity(%x)
      return %a
    }
  }
  return %y
})");
  EXPECT_EQ(r.report.rewrites, 2u);
  EXPECT_THAT(r.fired(),
              ElementsAre("eliminate_identity y/then_branch/a: removed Identity: it copies",
                          "eliminate_identity y/else_branch/a: removed Identity: it copies"));
  EXPECT_THAT(r.nodes(), Not(HasSubstr("Identity")));
}

TEST(EliminateIdentity, ZeroSizes) {
  const Result r = canonical(R"(graph main(%x: float32[0, 3]) {
  %shape = constant int64[2] {0, 3}
  %a = Reshape(%x, %shape) {allowzero = 1}
  %y = Relu(%a)
  return %y
})");
  EXPECT_EQ(r.nodes(), "%y = Relu(%x)\nreturn %y\n");
}

TEST(MergeCasts, OnlyExactDetours) {
  const Result r =
      canonical(R"(graph main(%h: float16[4], %d: float64[4], %i: int32[4], %u: uint8[4]) {
  %h1 = Cast(%h) {to = 1}
  %h2 = Cast(%h1) {to = 10}
  %d1 = Cast(%d) {to = 1}
  %d2 = Cast(%d1) {to = 11}
  %i1 = Cast(%i) {to = 2}
  %i2 = Cast(%i1) {to = 6}
  %i3 = Cast(%i) {to = 1}
  %i4 = Cast(%i3) {to = 6}
  %i5 = Cast(%i) {to = 11}
  %i6 = Cast(%i5) {to = 6}
  %u1 = Cast(%u) {to = 7}
  %u2 = Cast(%u1) {to = 3}
  %h3 = Cast(%h) {to = 16}
  %h4 = Cast(%h3) {to = 10}
  return %h2, %d2, %i2, %i4, %i6, %u2, %h4
})");
  EXPECT_EQ(r.nodes(),
            "%d1 = Cast(%d) {to = 1}\n"
            "%d2 = Cast(%d1) {to = 11}\n"
            "%i1 = Cast(%i) {to = 2}\n"
            "%i2 = Cast(%i1) {to = 6}\n"
            "%i3 = Cast(%i) {to = 1}\n"
            "%i4 = Cast(%i3) {to = 6}\n"
            "%u2 = Cast(%u) {to = 3}\n"
            "%h3 = Cast(%h) {to = 16}\n"
            "%h4 = Cast(%h3) {to = 10}\n"
            "return %h, %d2, %i2, %i4, %i, %u2, %h4\n");
  EXPECT_EQ(r.missed().size(), 4u);
}

TEST(MergeTransposes, PairsJoinOrVanish) {
  const Result r = canonical(R"(graph main(%x: float32[2, 3, 4]) {
  %a = Transpose(%x) {perm = [1, 2, 0]}
  %b = Transpose(%a) {perm = [1, 2, 0]}
  %y = Relu(%b)
  %c = Transpose(%x) {perm = [2, 0, 1]}
  %d = Transpose(%c) {perm = [1, 2, 0]}
  %z = Neg(%d)
  %e = Transpose(%x)
  %f = Transpose(%e)
  return %y, %z, %e, %f
})");
  EXPECT_EQ(r.nodes(),
            "%b = Transpose(%x) {perm = [2, 0, 1]}\n%y = Relu(%b)\n%z = Neg(%x)\n"
            "%e = Transpose(%x)\nreturn %y, %z, %e, %x\n");
}

TEST(MergeReshapes, ChainsJoin) {
  const Result r = canonical(R"(graph main(%x: float32[N, 4, 6], %s: float32[2, 1, 3]) {
  %to = constant int64[2] {-1, 24}
  %free = constant int64[3] {-1, 2, 12}
  %zero = constant int64[3] {0, 3, 8}
  %one = constant int64[1] {1}
  %two = constant int64[1] {2}
  %a = Reshape(%x, %to)
  %y = Reshape(%a, %free)
  %b = Reshape(%x, %to)
  %z = Reshape(%b, %zero)
  %c = Squeeze(%s, %one)
  %d = Unsqueeze(%c, %two)
  %e = Squeeze(%s, %one)
  %f = Unsqueeze(%e, %one)
  %g = Neg(%f)
  return %y, %z, %d, %g
})");
  EXPECT_EQ(r.nodes(),
            "%y = Reshape(%x, %free)\n"
            "%z = Reshape(%x, %z.shape)\n"
            "%d = Reshape(%s, %d.shape)\n"
            "%g = Neg(%s)\n"
            "return %y, %z, %d, %g\n");
}

TEST(MergeReshapes, OneOpenDim) {
  const Result r = canonical(R"(graph main(%x: float32[N, 1, 3], %m: float32[N, M, 1]) {
  %one = constant int64[1] {1}
  %two = constant int64[1] {2}
  %zero = constant int64[1] {0}
  %a = Squeeze(%x, %one)
  %y = Unsqueeze(%a, %two)
  %b = Squeeze(%m, %two)
  %z = Unsqueeze(%b, %zero)
  return %y, %z
})");
  EXPECT_EQ(r.nodes(),
            "%y = Reshape(%x, %y.shape)\n%b = Squeeze(%m, %two)\n%z = Unsqueeze(%b, %zero)\n"
            "return %y, %z\n");
  EXPECT_THAT(r.missed(), ElementsAre(HasSubstr("depends on that of b")));
  EXPECT_EQ(to_ints(*r.value("y.shape").constant), (std::vector<int64_t>{-1, 3, 1}));
}

TEST(MeanToGlobalPool, KeptDimsAndNot) {
  const Result r = optimise(R"(graph main(%x: float32[N, 3, H, W], %i: int32[1, 3, 2, 2]) {
  %axes = constant int64[2] {-1, -2}
  %other = constant int64[2] {1, 2}
  %a = ReduceMean(%x, %axes) {keepdims = 1}
  %b = ReduceMean(%x, %axes) {keepdims = 0}
  %c = ReduceMean(%x, %other)
  return %a, %b, %c
})",
                            only({"mean_to_global_pool"}), 1e-6);
  EXPECT_EQ(r.nodes(),
            "%a = GlobalAveragePool(%x) name \"a.pool\"\n"
            "%b.pool = GlobalAveragePool(%x)\n"
            "%b = Squeeze(%b.pool, %b.squeeze.axes) name \"b.squeeze\"\n"
            "%c = ReduceMean(%x, %other)\n"
            "return %a, %b, %c\n");
}

}  // namespace
}  // namespace planish::passes
