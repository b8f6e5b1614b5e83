// Bias, residual and activation into the producer.
#include "passes/test_util.h"

namespace planish::passes {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kFloat = 2e-6;

TEST(FuseBias, MatMulTakesItIntoTheEpilogue) {
  const Result r = optimise(R"(graph main(%x: float32[N, 5, 2]) {
  %w = constant float32[2, 3] {1, 2, 3, 4, 5, 6}
  %b = constant float32[3] {1, -2, 3}
  %a = MatMul(%x, %w) from "mm"
  %y = Add(%b, %a) from "add"
  return %y
})",
                            only({"fuse_bias"}));
  EXPECT_EQ(r.nodes(), "%y = MatMul(%x, %w) |> Add(%b, _) name \"a\"\nreturn %y\n");
  EXPECT_THAT(r.maker("y").provenance, ElementsAre("mm", "add"));
}

TEST(FuseBias, ConstantsThatBroadcastTheProductStay) {
  // [2, 3] against a product of rank 1, and of [N, 3] where N may be 1.
  const Result r = optimise(R"(graph main(%x: float32[2], %z: float32[N, 2]) {
  %w = constant float32[2, 3] {1, 2, 3, 4, 5, 6}
  %b = constant float32[2, 3] {1, -2, 3, 4, 5, 6}
  %a = MatMul(%x, %w)
  %y = Add(%a, %b)
  %c = MatMul(%z, %w)
  %d = Add(%c, %b)
  return %y, %d
})",
                            only({"fuse_bias"}));
  EXPECT_EQ(r.report.rewrites, 0u);
  EXPECT_EQ(r.missed().size(), 2u);
}

TEST(FuseBias, ConvGetsItsOwnBias) {
  const Result r = optimise(R"(graph main(%x: float32[N, 1, H, W]) {
  %w = constant float32[2, 1, 1, 1] {2, 3}
  %o = constant float32[2] {0.5, 1}
  %b1 = constant float32[1, 2, 1, 1] {1, -2}
  %b2 = constant float32[2, 1, 1] {1, -2}
  %b3 = constant float32[1] {4}
  %b4 = constant float32[2] {1, 2}
  %a = Conv(%x, %w)
  %p = Add(%a, %b1)
  %c = Conv(%x, %w, %o)
  %q = Add(%b2, %c)
  %d = Conv(%x, %w)
  %r = Add(%d, %b3)
  return %p, %q, %r
})",
                            only({"fuse_bias"}), kFloat);
  EXPECT_EQ(r.after->order().size(), 3u);
  for (const char* name : {"p", "q", "r"}) {
    EXPECT_EQ(r.maker(name).inputs.size(), 3u) << name;
    EXPECT_TRUE(r.maker(name).epilogue.empty()) << name;
  }
  EXPECT_EQ(to_doubles(*r.after->value(r.maker("q").inputs[2]).constant),
            (std::vector<double>{1.5, -1}));
}

TEST(FuseBias, AlongAnotherAxisItIsNoConvBias) {
  const Result r = optimise(R"(graph main(%x: float32[1, 1, 2, 2]) {
  %w = constant float32[2, 1, 1, 1] {2, 3}
  %b = constant float32[2] {1, 2}
  %a = Conv(%x, %w)
  %y = Add(%a, %b)
  return %y
})",
                            only({"fuse_bias"}));
  EXPECT_EQ(r.report.rewrites, 0u);
  EXPECT_THAT(r.missed(), ElementsAre(HasSubstr("is not one number per channel")));
}

TEST(FuseBias, GemmGetsItsC) {
  const Result r = optimise(R"(graph main(%x: float32[3, 2]) {
  %w = constant float32[2, 2] {1, 2, 3, 4}
  %b = constant float32[2] {1, -2}
  %a = Gemm(%x, %w) {beta = 0.0}
  %y = Add(%a, %b)
  return %y
})",
                            only({"fuse_bias"}), kFloat);
  EXPECT_EQ(r.nodes(), "%y = Gemm(%x, %w, %b) {beta = 1.0} name \"a\"\nreturn %y\n");
}

TEST(FuseActivation, EveryKindOfProducer) {
  const Result r = optimise(R"(graph main(%x: float32[2, 3], %i: float32[1, 1, 3, 3]) {
  %w = constant float32[3, 2] {1, 2, 3, 4, 5, 6}
  %k = constant float32[1, 1, 2, 2] {1, -2, 3, 4}
  %lo = constant float32[] {-1}
  %hi = constant float32[1] {2.5}
  %a = MatMul(%x, %w)
  %p = Relu(%a)
  %b = Conv(%i, %k)
  %q = Clip(%b, %lo, %hi)
  %c = Gemm(%x, %w)
  %r = Clip(%c, -, %lo)
  %d = Add(%x, %x)
  %s = Sigmoid(%d)
  %e = Mul(%x, %x)
  %f = HardSwish(%e)
  %t = LeakyRelu(%f) {alpha = 0.25}
  return %p, %q, %r, %s, %t
})",
                            only({"fuse_activation"}));
  EXPECT_EQ(r.nodes(),
            "%p = MatMul(%x, %w) |> Relu() name \"a\"\n"
            "%q = Conv(%i, %k) |> Clip(_, %lo, %hi) name \"b\"\n"
            "%r = Gemm(%x, %w) |> Clip(_, -, %lo) name \"c\"\n"
            "%s = Add(%x, %x) |> Sigmoid() name \"d\"\n"
            "%t = Mul(%x, %x) |> HardSwish() |> LeakyRelu() {alpha = 0.25} name \"e\"\n"
            "return %p, %q, %r, %s, %t\n");
}

TEST(FuseActivation, FloatsOnly) {
  const Result r = optimise(R"(graph main(%i: int32[4]) {
  %a = Add(%i, %i)
  %y = Relu(%a)
  return %y
})",
                            only({"fuse_activation"}));
  EXPECT_EQ(r.report.rewrites, 0u);
}

TEST(FuseActivation, ValuesThatOthersNeedStay) {
  const Result r = optimise(R"(graph main(%x: float32[1, 1, 3, 3], %hi: float32[]) {
  %k = constant float32[1, 1, 2, 2] {1, -2, 3, 4}
  %a = Conv(%x, %k)
  %p = Relu(%a)
  %b = Conv(%x, %k)
  %q = Relu(%b)
  %r = Neg(%b)
  %c = Conv(%x, %k)
  %s = Clip(%c, -, %hi)
  return %a, %p, %q, %r, %s
})",
                            only({"fuse_activation"}));
  EXPECT_EQ(r.report.rewrites, 0u);
  EXPECT_THAT(r.missed(), ElementsAre(HasSubstr("the output of a is a graph output"),
                                      HasSubstr("the output of b has 2 users"),
                                      HasSubstr("'hi' is not constant")));
}

TEST(FuseActivation, LongChainsStopAtWhatKernelsHold) {
  const Result r = optimise(R"(graph main(%x: float32[4]) {
  %a = Add(%x, %x)
  %b = Relu(%a)
  %c = Tanh(%b)
  %d = Sigmoid(%c)
  %e = Elu(%d)
  %f = Softsign(%e)
  return %f
})",
                            only({"fuse_activation"}));
  EXPECT_EQ(r.after->order().size(), 2u);
  EXPECT_EQ(r.report.rewrites, 4u);
}

TEST(FuseResidual, ResNetBlock) {
  const Result r = optimise(R"(graph main(%x: float32[N, 2, H, W]) {
  %w = constant float32[2, 2, 1, 1] {1, 2, 3, -4}
  %a = Conv(%x, %w)
  %b = Relu(%a)
  %c = Conv(%b, %w)
  %d = Add(%c, %x)
  %y = Relu(%d)
  return %y
})",
                            {}, kFloat);
  EXPECT_EQ(r.nodes(),
            "%b = Conv(%x, %w) |> Relu() name \"a\"\n"
            "%y = Conv(%b, %w) |> Add(_, %x) |> Relu() name \"c\"\nreturn %y\n");
}

TEST(FuseResidual, TheLaterOfTwoTakesIt) {
  const Result r = optimise(R"(graph main(%x: float32[N, 2, H, W]) {
  %w = constant float32[2, 2, 1, 1] {1, 2, 3, -4}
  %a = Conv(%x, %w)
  %b = Conv(%x, %w) {pads = [0, 0, 0, 0]}
  %y = Add(%b, %a)
  return %y
})",
                            only({"fuse_residual"}), kFloat);
  EXPECT_EQ(r.nodes(),
            "%a = Conv(%x, %w)\n"
            "%y = Conv(%x, %w) {pads = [0, 0, 0, 0]} |> Add(_, %a) name \"b\"\nreturn %y\n");
}

TEST(FuseResidual, MovesBehindItsOperand) {
  const Result r = optimise(R"(graph main(%x: float32[2, 2]) {
  %w = constant float32[2, 2] {1, 2, 3, -4}
  %a = MatMul(%x, %w)
  %b = Exp(%x)
  %c = Tanh(%b)
  %y = Add(%c, %a)
  return %y
})",
                            only({"fuse_residual"}));
  EXPECT_EQ(
      r.nodes(),
      "%b = Exp(%x)\n%c = Tanh(%b)\n%y = MatMul(%x, %w) |> Add(%c, _) name \"a\"\nreturn %y\n");
}

TEST(FuseResidual, NotWithoutAProofOfTheShape) {
  const Result r = optimise(R"(graph main(%x: float32[N, 2], %z: float32[M, 2], %v: float32[2]) {
  %w = constant float32[2, 2] {1, 2, 3, -4}
  %a = MatMul(%x, %w)
  %y = Add(%a, %v)
  return %y
})",
                            only({"fuse_residual"}));
  EXPECT_EQ(r.report.rewrites, 0u);
  EXPECT_THAT(r.missed(), ElementsAre(HasSubstr("not known to have one shape")));
}

TEST(FuseResidual, BothSidesOneValue) {
  const Result r = optimise(R"(graph main(%x: float32[2, 2]) {
  %w = constant float32[2, 2] {1, 2, 3, -4}
  %a = MatMul(%x, %w)
  %y = Add(%a, %a)
  return %y
})",
                            only({"fuse_residual"}));
  EXPECT_EQ(r.report.rewrites, 0u);
}

TEST(Fusion, EveryOutputOfAChainSurvives) {
  const Result r = optimise(R"(graph main(%x: float32[1, 2, 3, 3]) {
  %w = constant float32[2, 2, 1, 1] {1, 2, 3, -4}
  %b = constant float32[2, 1, 1] {1, 2}
  %s = constant float32[2] {1, 2}
  %c = Conv(%x, %w)
  %n = BatchNormalization(%c, %s, %s, %s, %s)
  %a = Add(%n, %b)
  %y = Relu(%a)
  return %c, %n, %a, %y
})",
                            {}, kFloat);
  EXPECT_EQ(r.after->order().size(), 4u);
}

TEST(Fusion, TheSurvivorKeepsItsOnnxName) {
  const Result r = optimise(R"(graph main(%x: float32[1, 2, 3, 3] @ in) {
  %w = constant float32[2, 2, 1, 1] {1, 2, 3, -4}
  %s = constant float32[2] {1, 2}
  %c @ conv_out = Conv(%x, %w)
  %n @ bn_out = BatchNormalization(%c, %s, %s, %s, %s)
  %y @ relu_out = Relu(%n)
  %z @ out = MaxPool(%y) {kernel_shape = [2, 2]}
  return %z
})",
                            {}, kFloat);
  EXPECT_EQ(r.after->order().size(), 2u);
  EXPECT_EQ(r.value("y").onnx_name, "relu_out");
  EXPECT_EQ(r.maker("y").op, "Conv");
}

TEST(Fusion, PaddingIsNotFoldedIntoAPool) {
  const Result r = optimise(R"(graph main(%x: float32[1, 1, 4, 4]) {
  %p = constant int64[8] {0, 0, 1, 1, 0, 0, 1, 1}
  %a = Pad(%x, %p)
  %y = AveragePool(%a) {kernel_shape = [3, 3]}
  return %y
})");
  EXPECT_EQ(r.report.rewrites, 0u);
}

}  // namespace
}  // namespace planish::passes
