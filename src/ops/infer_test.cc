// Whole-graph inference: merging with declared types, known content, blocks, epilogues.
#include "ops/shape_helpers.h"
#include "ops/test_graphs.h"

namespace planish::ops {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Infer, BroadcastsSymbols) {
  const auto g =
      inferred(R"(graph g(%a: float32[N, 1, S], %b: float32[4, 1], %c: float32[M, 1, 1]) {
    %ab = Add(%a, %b)
    %abc = Add(%ab, %c)
    return %abc
  })");
  EXPECT_EQ(type_of(*g, "ab"), "float32[N, 4, S]");
  const Type& type = g->value(g->find_value("abc")).type;
  const SizeExpr dim = (*type.shape)[0];
  // Every legal pair, an empty dim against 1 included.
  EXPECT_EQ(dim.evaluate({{"N", 3}, {"M", 3}}), 3);
  EXPECT_EQ(dim.evaluate({{"N", 3}, {"M", 1}}), 3);
  EXPECT_EQ(dim.evaluate({{"N", 1}, {"M", 5}}), 5);
  EXPECT_EQ(dim.evaluate({{"N", 1}, {"M", 0}}), 0);
  EXPECT_EQ(dim.evaluate({{"N", 0}, {"M", 0}}), 0);
  EXPECT_THAT(message_of(ErrorCode::kInvalidModel,
                         [] {
                           inferred(
                               "graph g(%a: float32[2], %b: float32[3]) "
                               "{ %y = Add(%a, %b) name \"sum\" return %y }");
                         }),
              HasSubstr("node 'sum': Add: dims 2 and 3 do not broadcast"));
}

TEST(Infer, MergesWithDeclaredTypes) {
  const auto g = inferred(R"(graph g(%x: float32[N, 3], %s: int64[2], %any: int64[K]) {
    %stale: float32[1, 3] = Relu(%x)
    %named: float32[batch, 3] = Relu(%x)
    %number: float32[7, N] = Reshape(%x, %s)
    %after: float32[M, 5] = Relu(%number)
    %ranked: float32[N, 2, 3] = Reshape(%x, %any)
    return %stale
  })");
  // The inferred dim wins over a stale number and over another name.
  EXPECT_EQ(type_of(*g, "stale"), "float32[N, 3]");
  EXPECT_EQ(type_of(*g, "named"), "float32[N, 3]");
  // Where nothing is known a number is taken; a symbol is not, it might be wrong.
  EXPECT_THAT(type_of(*g, "number"), StartsWith("float32[7, d"));
  EXPECT_EQ(type_of(*g, "after"), "float32[7, 5]");
  EXPECT_THAT(type_of(*g, "ranked"), StartsWith("float32[d"));
  EXPECT_THAT(type_of(*g, "ranked"), HasSubstr(", 2, 3]"));
}

TEST(Infer, ContentThatOverflowsIsUnknown) {
  const auto g = inferred(R"(graph g(%x: float32[2, 3]) {
    %low = constant int64[1] {-9223372036854775808}
    %start = constant int64[] {-9223372036854775807}
    %limit = constant int64[] {9223372036854775807}
    %delta = constant int64[] {1}
    %n = Neg(%low)
    %r = Range(%start, %limit, %delta)
    return %n, %r
  })");
  EXPECT_EQ(type_of(*g, "n"), "int64[1]");
  EXPECT_FALSE(g->value(g->find_value("n")).symbolic.has_value());
  EXPECT_THAT(type_of(*g, "r"), StartsWith("int64[d"));
}

TEST(Infer, SqueezeBySeveralRunTimeAxesHasNoRank) {
  // An axis may be named twice.
  const auto g = inferred(R"(graph g(%x: float32[1, 2, 1], %two: int64[2], %one: int64[1]) {
    %a = Squeeze(%x, %two)
    %b = Squeeze(%x, %one)
    return %a, %b
  })");
  EXPECT_EQ(type_of(*g, "a"), "float32[?]");
  EXPECT_THAT(type_of(*g, "b"), ::testing::MatchesRegex("float32\\[d[0-9]+, d[0-9]+\\]"));
}

TEST(Infer, DeclaredShapesOfSequenceElementsAreNotTaken) {
  // Elements differ in shape, and writers put [] for "any".
  const auto g = inferred(R"(graph g(%a: float32[2], %b: float32[3, 4]) {
    %s: seq(float32[]) = SequenceConstruct(%a, %b)
    return %s
  })");
  EXPECT_EQ(type_of(*g, "s"), "seq(float32[?])");
}

TEST(Infer, ContradictionsNameNodeValueAndBothShapes) {
  const std::string message = message_of(ErrorCode::kInvalidModel, [] {
    inferred("graph g(%x: float32[2, 3]) { %y: float32[2, 4] = Relu(%x) name \"act\" return %y }");
  });
  EXPECT_THAT(message, HasSubstr("node 'act'"));
  EXPECT_THAT(message, HasSubstr("value 'y' is declared float32[2, 4]"));
  EXPECT_THAT(message, HasSubstr("inferred as float32[2, 3]"));
  EXPECT_THROW(inferred("graph g(%x: float32[2]) { %y: float32[2, 1] = Relu(%x) return %y }"),
               Error);
}

TEST(Infer, PropagatesShapeArithmetic) {
  const auto g = inferred(R"(graph g(%x: float32[N, 12, S, 64]) {
    %zero = constant int64[] {0}
    %two = constant int64[] {2}
    %axes = constant int64[1] {0}
    %width = constant int64[1] {768}
    %shape = Shape(%x)
    %n = Gather(%shape, %zero) {axis = 0}
    %s = Gather(%shape, %two) {axis = 0}
    %n1 = Unsqueeze(%n, %axes)
    %s1 = Unsqueeze(%s, %axes)
    %double = Mul(%s1, %two)
    %sum = Add(%double, %double)
    %target = Concat(%n1, %s1, %width) {axis = 0}
    %moved = Transpose(%x) {perm = [0, 2, 1, 3]}
    %y = Reshape(%moved, %target)
    return %y
  })");
  EXPECT_EQ(content_of(*g, "shape"), "[N, 12, S, 64]");
  EXPECT_EQ(content_of(*g, "n"), "[N]");
  EXPECT_EQ(type_of(*g, "n"), "int64[]");
  EXPECT_EQ(content_of(*g, "sum"), "[4*S]");
  EXPECT_EQ(content_of(*g, "target"), "[N, S, 768]");
  EXPECT_EQ(type_of(*g, "y"), "float32[N, S, 768]");
}

TEST(Infer, EpilogueTypesFollowTheChain) {
  const auto g = inferred(R"(graph g(%x: float32[N, 1], %r: float32[1, 5]) {
    %y = Relu(%x) |> Add(_, %r) |> Relu()
    %plain = Relu(%x)
    %sum = Add(%plain, %r)
    %last = Relu(%sum)
    return %y, %last
  })");
  EXPECT_EQ(type_of(*g, "y"), "float32[N, 5]");
  EXPECT_EQ(type_of(*g, "y"), type_of(*g, "last"));
  EXPECT_EQ(content_of(*g, "y"), "unknown");
}

TEST(Infer, AgainChangesNothing) {
  const auto g = inferred(R"(graph g(%x: float32[N, 4], %s: int64[2]) {
    %y = Reshape(%x, %s)
    %z = Relu(%y)
    return %z
  })");
  EXPECT_THAT(type_of(*g, "y"), StartsWith("float32[d"));
  const std::string before = ir::print(*g);
  infer(*g);
  infer(*g);
  EXPECT_EQ(ir::print(*g), before);
  infer(*g->clone());
}

TEST(Infer, BranchesThatAgree) {
  const auto g = inferred(R"(graph g(%c: bool[], %x: float32[N, 3]) {
    %y = If(%c; %x) with {
      graph then(%x) { %t = Relu(%x) return %t }
      graph other(%x) { %e = Neg(%x) return %e }
    }
    return %y
  })");
  EXPECT_EQ(type_of(*g, "y"), "float32[N, 3]");
  const ir::Graph& then = *g->node(0).blocks[0];
  EXPECT_EQ(type_of(then, "t"), "float32[N, 3]");
}

TEST(Infer, SymbolsOfABlockDoNotLeaveIt) {
  // Both branches have a run-time dim of their own; outside they must not be taken for equal to
  // anything, least of all to each other's or to a symbol of the outer graph.
  const auto g = inferred(R"(graph g(%c: bool[], %x: float32[N], %s: int64[1]) {
    %p = Reshape(%x, %s)
    %y = If(%c; %x, %s) with {
      graph then(%x, %s) { %t = Reshape(%x, %s) return %t }
      graph other(%x, %s) { %e = Reshape(%x, %s) return %e }
    }
    %q = Reshape(%x, %s)
    return %y, %p, %q
  })");
  EXPECT_NE(type_of(*g, "y"), type_of(*g, "p"));
  EXPECT_NE(type_of(*g, "y"), type_of(*g, "q"));
  EXPECT_NE(type_of(*g, "p"), type_of(*g, "q"));
}

TEST(Infer, CapturedConstantsAndContentReachBlocks) {
  const auto g = inferred(R"(graph g(%c: bool[], %x: float32[N, 6]) {
    %k = constant int64[2] {-1, 3}
    %s = Shape(%x)
    %y = If(%c; %x, %k, %s) with {
      graph then(%x, %k, %s) { %t = Reshape(%x, %k) return %t }
      graph other(%x, %k, %s) { %a = Reshape(%x, %s) %e = Reshape(%a, %k) return %e }
    }
    return %y
  })");
  EXPECT_EQ(type_of(*g->node(1).blocks[0], "t"), "float32[2*N, 3]");
  EXPECT_EQ(type_of(*g->node(1).blocks[1], "a"), "float32[N, 6]");
  EXPECT_EQ(type_of(*g, "y"), "float32[2*N, 3]");
}

TEST(Infer, LoopsGeneralizeWhatChanges) {
  const auto g = inferred(R"(graph g(%n: int64[], %x: float32[1, 4], %r: float32[N, 4]) {
    %c = constant bool[] {true}
    %last, %same, %all = Loop(%n, %c, %x, %r; %r) with {
      graph body(%i: int64[], %go: bool[], %s, %t, %r) {
        %grown = Concat(%s, %r) {axis = 0}
        %kept = Relu(%t)
        return %go, %grown, %kept, %kept
      }
    }
    return %last, %same, %all
  })");
  EXPECT_THAT(type_of(*g, "last"), StartsWith("float32[d"));
  EXPECT_THAT(type_of(*g, "last"), HasSubstr(", 4]"));
  EXPECT_EQ(type_of(*g, "same"), "float32[N, 4]");
  EXPECT_THAT(type_of(*g, "all"), HasSubstr(", N, 4]"));
}

TEST(Infer, NestedLoopsAreBounded) {
  // Each level infers its body more than once: without a bound 40 levels would take for ever.
  std::string open = "graph g(%n: int64[], %x: float32[1]) { %c = constant bool[] {true} ";
  std::string close;
  for (int i = 0; i < 40; ++i) {
    open += "%y = Loop(%n, %c, %x; %n) with { graph b(%i: int64[], %c: bool[], %x, %n: int64[]) { ";
    close += " return %c, %y } } ";
  }
  const std::string text = open + "%y = Concat(%x, %x) {axis = 0}" + close + " return %y }";
  EXPECT_THAT(message_of(ErrorCode::kInvalidModel, [&] { infer(*parsed(text)); }),
              HasSubstr("multiply to too many nodes"));
}

TEST(Infer, IntegerContentOfInt32Wraps) {
  // 65536 * 65536 does not fit: the content is unknown rather than wrong.
  const auto g = inferred(R"(graph g(%x: int32[1]) {
    %k = constant int32[1] {65536}
    %y = Mul(%k, %k)
    %z = Mul(%x, %y)
    return %z
  })");
  EXPECT_EQ(content_of(*g, "y"), "unknown");
}

TEST(ShapeHelpers, ElementwiseOnKnownContent) {
  const auto symbol = [](const char* name) { return SizeExpr::symbol(name); };
  const SymbolicFn add = [](const SizeExpr& a, const SizeExpr& b) { return a + b; };
  const ir::SymbolicTensor row{{2}, {symbol("a"), 3}};
  const ir::SymbolicTensor column{{2, 1}, {10, symbol("b")}};
  const auto sum = elementwise(row, column, add);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->dims, (Dims{2, 2}));
  EXPECT_EQ(to_string(Shape(sum->elements)), "[a + 10, 13, a + b, b + 3]");
  EXPECT_FALSE(elementwise(row, {{3}, {1, 2, 3}}, add));
  const ir::SymbolicTensor none{{0}, {}};
  EXPECT_EQ(elementwise(none, {{1}, {5}}, add)->dims, (Dims{0}));
  // Too large, and an overflow.
  EXPECT_FALSE(elementwise({{100, 1}, std::vector<SizeExpr>(100)},
                           {{100}, std::vector<SizeExpr>(100)}, add));
  EXPECT_FALSE(elementwise({{}, {INT64_MAX}}, {{}, {1}}, add));
}

}  // namespace
}  // namespace planish::ops
