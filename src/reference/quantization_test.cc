#include <limits>

#include "reference/test_call.h"

namespace planish::reference {
namespace {

TEST(QuantizeLinear, TiesGoToEvenBeforeTheZeroPoint) {
  const Value y = evaluate("QuantizeLinear", {floats({5}, {0.5f, 1.5f, 2.5f, -0.5f, 1000}),
                                              Tensor::scalar(1.0f), Tensor::scalar<uint8_t>(1)})[0];
  EXPECT_THAT(numbers(y), ElementsAre(1, 3, 3, 1, 255));
}

TEST(QuantizeLinear, TheQuotientIsFloat32) {
  // 8.5 exactly in float32, a little more in double.
  const float x = 0.85f, scale = 0.1f;
  EXPECT_EQ(x / scale, 8.5f);
  EXPECT_THAT(numbers(evaluate("QuantizeLinear", {floats({1}, {x}), Tensor::scalar(scale)})[0]),
              ElementsAre(8));
}

TEST(QuantizeLinear, PerAxisIsAxisOneByDefaultAndBlocksShareAScale) {
  const Tensor x = floats({2, 2}, {1, 2, 3, 4}), scale = floats({2}, {1, 2});
  EXPECT_THAT(numbers(evaluate("QuantizeLinear", {x, scale})[0]), ElementsAre(1, 1, 3, 2));
  EXPECT_THAT(
      numbers(evaluate("QuantizeLinear", {x, scale}, attributes({{"axis", int64_t{0}}}))[0]),
      ElementsAre(1, 2, 2, 2));
  const Value blocked =
      evaluate("QuantizeLinear", {floats({1, 3}, {2, 4, 6}), floats({1, 2}, {1, 2})},
               attributes({{"block_size", int64_t{2}}}))[0];
  EXPECT_THAT(numbers(blocked), ElementsAre(2, 4, 3));
  EXPECT_THAT(error_of([&] { evaluate("QuantizeLinear", {x, floats({3}, {1, 1, 1})}); }),
              HasSubstr("3 scales"));
}

TEST(QuantizeLinear, HostileBlocksAndTypesAreRefused) {
  const Tensor x = floats({1, 3}, {2, 4, 6}), scale = floats({1, 2}, {1, 2});
  const auto message = [&](std::vector<std::pair<std::string, Attribute>> list) {
    return error_of([&] { evaluate("QuantizeLinear", {x, scale}, attributes(std::move(list))); });
  };
  EXPECT_THAT(message({{"block_size", std::numeric_limits<int64_t>::max()}}),
              HasSubstr("do not cover"));
  EXPECT_THAT(message({{"block_size", int64_t{-1}}}), HasSubstr("do not cover"));
  EXPECT_THAT(message({{"axis", int64_t{7}}}), HasSubstr("axis"));
  EXPECT_THAT(message({{"output_dtype", int64_t{257}}}), HasSubstr("no element type"));
  EXPECT_THAT(
      error_of([] { evaluate("QuantizeLinear", {floats({1, 0}, {}), floats({1, 2}, {1, 2})}); }),
      HasSubstr("do not cover"));
}

TEST(QuantizeLinear, FourBitsSaturate) {
  const Tensor zero = from_ints(DType::kInt4, {}, std::vector<int64_t>{0});
  const Value y =
      evaluate("QuantizeLinear", {floats({3}, {-9, 7.4f, 8}), Tensor::scalar(1.0f), zero})[0];
  EXPECT_EQ(y.tensor().dtype(), DType::kInt4);
  EXPECT_THAT(numbers(y), ElementsAre(-8, 7, 7));
}

TEST(DequantizeLinear, SubtractsThenScales) {
  const Value y = evaluate(
      "DequantizeLinear",
      {Tensor::of<int8_t>({2}, {-128, 127}), Tensor::scalar(0.5f), Tensor::scalar<int8_t>(-1)})[0];
  EXPECT_THAT(numbers(y), ElementsAre(-63.5, 64));
  EXPECT_THAT(error_of([] {
                evaluate("DequantizeLinear", {Tensor::of<int8_t>({1}, {1}), Tensor::scalar(1.0f),
                                              Tensor::scalar<uint8_t>(0)});
              }),
              HasSubstr("zero point"));
}

TEST(DynamicQuantizeLinear, TheRangeIncludesZero) {
  const std::vector<Value> y = evaluate("DynamicQuantizeLinear", {floats({2}, {51, 102})}, {}, 3);
  EXPECT_FLOAT_EQ(y[1].tensor().data<float>()[0], 0.4f);
  EXPECT_THAT(numbers(y[0]), ElementsAre(128, 255));  // 127.5 to even
  const std::vector<Value> zeros = evaluate("DynamicQuantizeLinear", {floats({1}, {0})}, {}, 3);
  EXPECT_THAT(numbers(zeros[0]), ElementsAre(0));
}

}  // namespace
}  // namespace planish::reference
