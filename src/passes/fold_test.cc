// Constant folding, BatchNormalization into weights, If with a constant condition.
#include "passes/test_util.h"

namespace planish::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kFloat = 2e-6;  // weights are rounded once more

TEST(FoldConstants, KeepsTheRecipe) {
  const Result r = optimise(R"(graph main(%x: float32[2]) {
  %a = constant float32[2] {1, 2}
  %b = constant float32[2] {3, -4}
  %c = Add(%a, %b)
  %d = Neg(%c)
  %y = Mul(%x, %d)
  return %y
})",
                            only({"fold_constants"}));
  EXPECT_EQ(r.nodes(), "%y = Mul(%x, %d)\nreturn %y\n");
  EXPECT_EQ(r.after->fold_order().size(), 2u);
  EXPECT_EQ(to_doubles(*r.value("d").constant), (std::vector<double>{-4, 2}));
  EXPECT_THAT(r.fired(), ElementsAre("fold_constants c: folded Add of constants",
                                     "fold_constants d: folded Neg of constants"));
}

TEST(FoldConstants, ShapeArithmetic) {
  const Result r = optimise(R"(graph main(%x: float32[N, 4, 6], %s: float32[2, 3]) {
  %zero = constant int64[1] {0}
  %rest = constant int64[1] {-1}
  %shape = Shape(%x)
  %n = Gather(%shape, %zero)
  %target = Concat(%n, %rest) {axis = 0}
  %y = Reshape(%x, %target)
  %fixed = Shape(%s)
  %z = Reshape(%s, %fixed)
  return %y, %fixed, %z
})",
                            only({"fold_constants", "eliminate_dead", "eliminate_identity"}));
  EXPECT_EQ(
      r.nodes(),
      "%shape = Shape(%x)\n%n = Gather(%shape, %zero)\n%target = Concat(%n, %rest) {axis = 0}\n"
      "%y = Reshape(%x, %target)\nreturn %y, %fixed_1, %s\n");
}

TEST(FoldConstants, Strings) {
  const Result r = optimise(R"(graph main(%x: int64[1]) {
  %a = constant string[2] {"a", "b"}
  %b = constant string[3] {"c", "d", "e"}
  %c = Concat(%a, %b) {axis = 0}
  %y = Gather(%c, %x)
  return %y
})",
                            only({"fold_constants"}));
  EXPECT_EQ(r.nodes(), "%y = Gather(%c, %x)\nreturn %y\n");
}

TEST(FoldConstants, BoundsWhatItMakes) {
  const std::string_view text = R"(graph main(%x: float32[1]) {
  %big = constant int64[2] {100, 100}
  %one = constant float32[1, 1] {1}
  %a = Expand(%one, %big)
  %y = Add(%x, %a)
  return %y
})";
  Context context;
  context.max_folded_bytes = 39999;
  const Result r = optimise(text, only({"fold_constants"}), 0, context);
  EXPECT_THAT(r.nodes(), HasSubstr("Expand"));
  EXPECT_THAT(r.missed(), ElementsAre("fold_constants a: its result would take 40000 bytes"));
  context.max_folded_bytes = 40000;
  EXPECT_THAT(optimise(text, only({"fold_constants"}), 0, context).nodes(),
              Not(HasSubstr("Expand")));
}

TEST(FoldConstants, HugeAndHostileStay) {
  const auto graph = ir::parse_graph(R"(graph main(%x: float32[1]) {
  %huge = constant int64[2] {4000000000, 2000000000}
  %most = constant int64[3] {9000000000, 9000000000, 9000000000}
  %a = ConstantOfShape(%huge)
  %b = ConstantOfShape(%most)
  %m = constant int64[2] {4000, 4000}
  %c = ConstantOfShape(%m)
  %d = MatMul(%c, %c)
  return %a, %b, %d
})");
  Context context;
  context.evaluate = evaluate;
  const Report report = run(*graph, context, only({"fold_constants"}));
  EXPECT_EQ(report.rewrites, 1u);  // c alone
  EXPECT_EQ(report.decisions.size(), 4u);
}

TEST(FoldConstants, ErrorsAndRandomnessStay) {
  const auto graph = ir::parse_graph(R"(graph main(%x: float32[3]) {
  %far = constant int64[1] {9}
  %data = constant float32[3] {1, 2, 3}
  %a = Gather(%data, %far)
  %b = Add(%x, %a)
  return %b
})");
  Context context;
  context.evaluate = evaluate;
  const Report report = run(*graph, context);
  EXPECT_EQ(report.rewrites, 0u);
  ASSERT_EQ(report.decisions.size(), 1u);
  EXPECT_THAT(report.decisions[0].what, HasSubstr("evaluating it failed"));
}

TEST(FoldConstants, QuantizedWeightsStayQuantized) {
  const Result r = optimise(R"(graph main(%x: float32[2]) {
  %w = constant float32[2] {1, 2}
  %s = constant float32[] {0.5}
  %z = constant int8[] {0}
  %q = QuantizeLinear(%w, %s, %z)
  %d = DequantizeLinear(%q, %s, %z)
  %y = Mul(%x, %d)
  return %y
})",
                            only({"fold_constants"}));
  EXPECT_EQ(r.nodes(), "%d = DequantizeLinear(%q, %s, %z)\n%y = Mul(%x, %d)\nreturn %y\n");
}

// --- BatchNormalization

std::string conv_bn(std::string_view conv, std::string_view constants, std::string_view input) {
  return fmt::format(R"(graph main(%x: {}) {{
  {}
  %sc = constant float32[4] {{1.5, -0.5, 2, 1}}
  %bi = constant float32[4] {{0.5, 1, -2, 0}}
  %me = constant float32[4] {{0.25, -1, 0.5, 3}}
  %va = constant float32[4] {{1, 0.5, 2, 0.125}}
  %c = {} from "c"
  %y = BatchNormalization(%c, %sc, %bi, %me, %va) {{epsilon = 0.001}} from "bn"
  return %y
}})",
                     input, constants, conv);
}

Result fold_bn(std::string_view conv, std::string_view constants, std::string_view input) {
  return optimise(conv_bn(conv, constants, input), only({"fold_batchnorm", "eliminate_dead"}),
                  kFloat);
}

TEST(FoldBatchNorm, ConvWithAndWithoutBias) {
  const Result a =
      fold_bn("Conv(%x, %w)", "%w = constant float32[4, 1, 1, 2] {1, 2, 3, 4, 5, 6, 7, -8}",
              "float32[N, 1, 3, 3]");
  EXPECT_THAT(a.nodes(), HasSubstr("%y = Conv(%x, "));
  EXPECT_EQ(a.after->order().size(), 1u);
  EXPECT_THAT(a.maker("y").provenance, ElementsAre("c", "bn"));
  EXPECT_EQ(a.report.rewrites, 1u);
  EXPECT_TRUE(a.after->value(a.maker("y").inputs[1]).producer != ir::kNoNode) << "no recipe";
  const Result b = fold_bn("Conv(%x, %w, %b) {pads = [1, 1, 1, 1], strides = [2, 1]}",
                           "%w = constant float32[4, 1, 1, 2] {1, 2, 3, 4, 5, 6, 7, -8}\n"
                           "%b = constant float32[4] {1, -2, 3, -4}",
                           "float32[N, 1, H, W]");
  EXPECT_EQ(b.after->order().size(), 1u);
}

TEST(FoldBatchNorm, EveryRankAndGroups) {
  EXPECT_EQ(fold_bn("Conv(%x, %w)", "%w = constant float32[4, 1, 2] {1, 2, 3, 4, 5, 6, 7, -8}",
                    "float32[1, 1, 5]")
                .after->order()
                .size(),
            1u);
  EXPECT_EQ(fold_bn("Conv(%x, %w) {group = 2}",
                    "%w = constant float32[4, 1, 1, 1, 2] {1, 2, 3, 4, 5, 6, 7, -8}",
                    "float32[2, 2, 2, 2, 3]")
                .after->order()
                .size(),
            1u);
}

TEST(FoldBatchNorm, ConvTranspose) {
  EXPECT_EQ(fold_bn("ConvTranspose(%x, %w) {strides = [2]}",
                    "%w = constant float32[2, 4, 1] {1, 2, 3, 4, 5, 6, 7, -8}", "float32[1, 2, 5]")
                .after->order()
                .size(),
            1u);
  EXPECT_EQ(fold_bn("ConvTranspose(%x, %w) {group = 2}",
                    "%w = constant float32[4, 2, 1] {1, 2, 3, 4, 5, 6, 7, -8}", "float32[2, 4, 3]")
                .after->order()
                .size(),
            1u);
}

TEST(FoldBatchNorm, GemmInEveryForm) {
  EXPECT_EQ(fold_bn("Gemm(%x, %w)", "%w = constant float32[2, 4] {1, 2, 3, 4, 5, 6, 7, -8}",
                    "float32[N, 2]")
                .after->order()
                .size(),
            1u);
  EXPECT_EQ(fold_bn("Gemm(%x, %w, %b) {transB = 1, alpha = 0.5, beta = -2.0}",
                    "%w = constant float32[4, 2] {1, 2, 3, 4, 5, 6, 7, -8}\n"
                    "%b = constant float32[4] {1, 2, 3, 4}",
                    "float32[3, 2]")
                .after->order()
                .size(),
            1u);
  EXPECT_EQ(fold_bn("Gemm(%x, %w, %b) {beta = 3.0}",
                    "%w = constant float32[2, 4] {1, 2, 3, 4, 5, 6, 7, -8}\n"
                    "%b = constant float32[] {0.75}",
                    "float32[3, 2]")
                .after->order()
                .size(),
            1u);
}

TEST(FoldBatchNorm, GemmWithABiasPerRowStays) {
  const Result r = fold_bn("Gemm(%x, %w, %b)",
                           "%w = constant float32[2, 4] {1, 2, 3, 4, 5, 6, 7, -8}\n"
                           "%b = constant float32[3, 1] {1, 2, 3}",
                           "float32[3, 2]");
  EXPECT_EQ(r.report.rewrites, 0u);
  EXPECT_EQ(r.missed().size(), 1u);
}

TEST(FoldBatchNorm, MatMulOfRankTwoOnly) {
  const Result two = fold_bn(
      "MatMul(%x, %w)", "%w = constant float32[2, 4] {1, 2, 3, 4, 5, 6, 7, -8}", "float32[N, 2]");
  EXPECT_THAT(two.nodes(), HasSubstr("%y = Add("));
  EXPECT_EQ(two.after->order().size(), 2u);
  // Channels are the rows of each matrix here.
  const Result three =
      fold_bn("MatMul(%x, %w)", "%w = constant float32[2, 4] {1, 2, 3, 4, 5, 6, 7, -8}",
              "float32[2, 4, 2]");
  EXPECT_EQ(three.report.rewrites, 0u);
  EXPECT_THAT(three.missed(), ElementsAre(HasSubstr("channels may be rows")));
}

TEST(FoldBatchNorm, SharedWeightsAreNotChangedForOthers) {
  const Result r = optimise(R"(graph main(%x: float32[1, 1, 2, 2]) {
  %w = constant float32[2, 1, 1, 1] {2, 3}
  %s = constant float32[2] {1.5, -2}
  %c = Conv(%x, %w)
  %d = Conv(%x, %w, %s)
  %y = BatchNormalization(%c, %s, %s, %s, %s)
  %e = Add(%y, %d)
  return %e
})",
                            only({"fold_batchnorm"}), 1e-5);
  EXPECT_EQ(r.report.rewrites, 0u) << "a negative variance makes NaN";
  const Result t = optimise(R"(graph main(%x: float32[1, 1, 2, 2]) {
  %w = constant float32[2, 1, 1, 1] {2, 3}
  %s = constant float32[2] {1.5, 2}
  %c = Conv(%x, %w)
  %d = Conv(%x, %w, %s)
  %y = BatchNormalization(%c, %s, %s, %s, %s)
  %e = Add(%y, %d)
  return %e
})",
                            only({"fold_batchnorm"}), kFloat);
  EXPECT_EQ(t.report.rewrites, 1u);
  EXPECT_THAT(t.nodes(), HasSubstr("%d = Conv(%x, %w, %s)"));
}

TEST(FoldBatchNorm, NearMisses) {
  const auto misses = [](std::string_view conv, std::string_view after, std::string_view outputs,
                         std::string_view more_inputs = "") {
    return optimise(fmt::format(R"(graph main(%x: float32[1, 2, 3, 3]{}) {{
  %w = constant float32[2, 2, 1, 1] {{1, 2, 3, 4}}
  %s = constant float32[2] {{1, 2}}
  %c = {}
  %y = {}
  %z = Neg(%c)
  return {}
}})",
                                more_inputs, conv, after, outputs),
                    only({"fold_batchnorm", "eliminate_dead"}))
        .missed();
  };
  const std::string_view bn = "BatchNormalization(%c, %s, %s, %s, %s)";
  EXPECT_THAT(misses("Conv(%x, %w)", bn, "%y, %c"),
              ElementsAre(HasSubstr("the output of c is a graph output")));
  EXPECT_THAT(misses("Conv(%x, %w)", bn, "%y, %z"),
              ElementsAre(HasSubstr("the output of c has 2 users")));
  EXPECT_THAT(
      misses("Conv(%x, %w)", "BatchNormalization(%c, %s, %p, %s, %s)", "%y", ", %p: float32[2]"),
      ElementsAre(HasSubstr("its parameter 'p' is not constant")));
  EXPECT_THAT(misses("Conv(%x, %v)", bn, "%y", ", %v: float32[2, 2, 1, 1]"),
              ElementsAre(HasSubstr("the weights of c, 'v', are not constant")));
  EXPECT_THAT(misses("Conv(%x, %w, %p)", bn, "%y", ", %p: float32[2]"),
              ElementsAre(HasSubstr("the bias of c is not constant")));
  EXPECT_THAT(
      misses("Conv(%x, %w)", "BatchNormalization(%c, %s, %s, %s, %s) {training_mode = 1}", "%y"),
      ElementsAre(HasSubstr("training mode")));
  EXPECT_THAT(misses("Relu(%x)", bn, "%y"), IsEmpty());
}

TEST(FoldBatchNorm, NarrowTypesAndParametersBehindIdentity) {
  const Result r = optimise(R"(graph main(%x: float16[1, 1, 2, 2]) {
  %w = constant float16[2, 1, 1, 1] {2, 3}
  %s0 = constant float32[2] {1.5, 2}
  %s = Identity(%s0)
  %c = Conv(%x, %w)
  %y = BatchNormalization(%c, %s, %s, %s, %s)
  return %y
})",
                            {}, 2e-3);
  EXPECT_EQ(r.after->order().size(), 1u);
  EXPECT_EQ(r.after->value(r.maker("y").inputs[1]).type.dtype, DType::kFloat16);
}

TEST(FoldBatchNorm, EmptyBatch) {
  const Result r =
      fold_bn("Conv(%x, %w)", "%w = constant float32[4, 1, 1, 2] {1, 2, 3, 4, 5, 6, 7, -8}",
              "float32[0, 1, 3, 3]");
  EXPECT_EQ(r.after->order().size(), 1u);
}

// --- If

TEST(InlineIf, TakesTheBranch) {
  for (const char* flag : {"true", "false"}) {
    const Result r = optimise(fmt::format(R"(graph main(%x: float32[4], %w: float32[4]) {{
  %c = constant bool[] {{{}}}
  %k, %l = If(%c; %x, %w) name "if" with {{
    graph then(%x: float32[4], %w: float32[4]) {{
      %two = constant float32[4] {{1, 2, 3, 4}}
      fold %n: float32[4] = Neg(%two) value float32[4] {{-1, -2, -3, -4}}
      %a = Mul(%x, %n) from "inner"
      return %a, %a
    }}
    graph else(%x: float32[4], %w: float32[4]) {{
      return %w, %x
    }}
  }}
  return %k, %l
}})",
                                          flag),
                              only({"inline_if"}));
    if (std::string_view(flag) == "true") {
      EXPECT_EQ(r.nodes(), "%k = Mul(%x, %n) name \"a\"\nreturn %k, %k\n");
      EXPECT_THAT(r.maker("k").provenance, ElementsAre("inner"));
      EXPECT_EQ(r.after->fold_order().size(), 1u);
    } else {
      EXPECT_EQ(r.nodes(), "return %w, %x\n");
    }
  }
}

TEST(InlineIf, NestedAndShadowedNames) {
  const Result r = optimise(R"(graph main(%x: float32[4], %f: bool[]) {
  %c = constant bool[] {true}
  %a = Neg(%x)
  %y = If(%c; %a, %f) with {
    graph then(%v: float32[4], %f: bool[]) {
      %a = Relu(%v)
      %x = If(%f; %a) with {
        graph then(%a: float32[4]) {
          %b = Neg(%a)
          return %b
        }
        graph else(%a: float32[4]) {
          return %a
        }
      }
      return %x
    }
    graph else(%v: float32[4], %f: bool[]) {
      return %v
    }
  }
  %z = Neg(%y)
  return %z
})",
                            only({"inline_if"}));
  EXPECT_EQ(r.report.rewrites, 1u);
  EXPECT_EQ(r.after->order().size(), 4u);
  EXPECT_THAT(r.missed(), ElementsAre(HasSubstr("known at run time only")));
}

TEST(InlineIf, FoldedConditionOpensTheWay) {
  const Result r = optimise(R"(graph main(%x: float32[2, 4]) {
  %one = constant int64[] {1}
  %four = constant int64[] {4}
  %s = Shape(%x)
  %d = Gather(%s, %one)
  %c = Equal(%d, %four)
  %y = If(%c; %x) with {
    graph then(%x: float32[2, 4]) {
      %a = Relu(%x)
      return %a
    }
    graph else(%x: float32[2, 4]) {
      %a = Neg(%x)
      return %a
    }
  }
  return %y
})");
  EXPECT_EQ(r.nodes(), "%y = Relu(%x) name \"a\"\nreturn %y\n");
}

}  // namespace
}  // namespace planish::passes
