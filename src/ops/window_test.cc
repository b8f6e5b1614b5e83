// Shapes of convolutions and pools: the symbolic expression must give what the reference makes, for
// every size.
#include "ops/window.h"

#include "ops/test_graphs.h"

namespace planish::ops {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// Infers `op` over a symbolic length H and compares with a run at each length.
void expect_dims(std::string_view call, std::string_view result = "y") {
  const auto g =
      inferred(fmt::format("graph g(%x: float32[1, 2, H]) {{ %w = constant float32[2, 2, 3] "
                           "{{1,1,1,1,1,1,1,1,1,1,1,1}} {} return %{} }}",
                           call, result));
  const Type& type = g->value(g->find_value(result)).type;
  ASSERT_TRUE(type.has_shape());
  int ran = 0;
  for (int64_t h = 1; h <= 12; ++h) {
    Dims made;
    try {
      made = run(*g, {Tensor(DType::kFloat32, {1, 2, h})})[0].tensor().dims();
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), AnyOf(HasSubstr("does not fit"), HasSubstr("have size 0")))
          << call;  // too short for the window
      continue;
    }
    EXPECT_EQ((*type.shape)[2].evaluate({{"H", h}}), made[2])
        << call << " at " << h << ": " << to_string(type);
    ++ran;
  }
  EXPECT_GT(ran, 3) << call;
}

TEST(Windows, SymbolicLengthsAgreeWithTheReference) {
  for (const char* padding :
       {"pads = [0, 0]", "pads = [1, 0]", "pads = [2, 1]", "auto_pad = \"SAME_UPPER\"",
        "auto_pad = \"SAME_LOWER\"", "auto_pad = \"VALID\""}) {
    for (int stride = 1; stride <= 4; ++stride) {
      for (int dilation = 1; dilation <= 2; ++dilation) {
        const std::string common =
            fmt::format("{}, strides = [{}], dilations = [{}]", padding, stride, dilation);
        expect_dims(fmt::format("%y = Conv(%x, %w) {{{}}}", common));
        for (int ceil = 0; ceil <= 1; ++ceil) {
          expect_dims(fmt::format("%y = MaxPool(%x) {{kernel_shape = [3], ceil_mode = {}, {}}}",
                                  ceil, common));
          expect_dims(fmt::format("%y = AveragePool(%x) {{kernel_shape = [2], ceil_mode = {}, {}}}",
                                  ceil, common));
        }
        expect_dims(fmt::format("%y = ConvTranspose(%x, %w) {{{}}}", common));
      }
    }
  }
}

TEST(Windows, ReadableExpressions) {
  const auto g = inferred(R"(graph g(%x: float32[N, 3, H, W]) {
    %w = constant float32[1, 3, 3, 3] {0,0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0,0, 0,0,0,0,0,0,0,0,0}
    %k = constant float32[1, 4, 2, 2] {0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}
    %same = Conv(%x, %w) {pads = [1, 1, 1, 1]}
    %half = Conv(%x, %w) {auto_pad = "SAME_UPPER", strides = [2, 2]}
    %up = ConvTranspose(%same, %k) {strides = [2, 2]}
    %all = GlobalAveragePool(%x)
    return %up
  })");
  EXPECT_EQ(type_of(*g, "same"), "float32[N, 1, H, W]");
  EXPECT_EQ(type_of(*g, "half"), "float32[N, 1, ceildiv(H, 2), ceildiv(W, 2)]");
  EXPECT_EQ(type_of(*g, "up"), "float32[N, 4, 2*H, 2*W]");
  EXPECT_EQ(type_of(*g, "all"), "float32[N, 3, 1, 1]");
}

TEST(Windows, BrokenRulesAreNamed) {
  const auto message = [](std::string_view call) {
    return message_of(ErrorCode::kInvalidModel, [&] {
      inferred(
          fmt::format("graph g(%x: float32[1, 2, 4], %w: float32[3, 2, 5], %b: float32[2], %v: "
                      "float32[3, 2]) {{ {} return %y }}",
                      call));
    });
  };
  EXPECT_THAT(message("%y = Conv(%x, %w)"), HasSubstr("does not fit"));
  EXPECT_THAT(message("%y = Conv(%x, %w, %b) {pads = [1, 1]}"), HasSubstr("bias"));
  EXPECT_THAT(message("%y = Conv(%x, %w) {group = 2, pads = [1, 1]}"), HasSubstr("groups"));
  EXPECT_THAT(message("%y = Conv(%x, %v)"), HasSubstr("rank"));
  EXPECT_THAT(message("%y = MaxPool(%x)"), HasSubstr("kernel_shape"));
  EXPECT_THAT(message("%y = MaxPool(%x) {kernel_shape = [2], strides = [0]}"),
              HasSubstr("strides holds 0"));
  EXPECT_THAT(message("%y = AveragePool(%x) {kernel_shape = [2, 2]}"), HasSubstr("2 entries"));
}

TEST(Windows, MultiplyAddsCountTwo) {
  const OpDef* conv = find("", "Conv");
  const std::vector<Dims> in = {{1, 4, 8, 8}, {6, 2, 3, 3}}, out = {{1, 6, 8, 8}};
  EXPECT_EQ(conv->cost(ir::Node(), in, out).flops, 2.0 * 6 * 64 * 2 * 9);
  const std::vector<Dims> a = {{5, 7}, {7, 3}}, c = {{5, 3}};
  EXPECT_EQ(find("", "MatMul")->cost(ir::Node(), a, c).flops, 2.0 * 5 * 7 * 3);
}

}  // namespace
}  // namespace planish::ops
