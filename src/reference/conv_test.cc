#include <cmath>
#include <limits>

#include "reference/test_call.h"
#include "reference/window.h"

namespace planish::reference {
namespace {

Tensor ramp(Dims dims) {
  std::vector<float> values(static_cast<size_t>(element_count(dims)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
  return floats(std::move(dims), values);
}

TEST(Conv, StridesPadsDilationsAndBias) {
  const Tensor x = ramp({1, 1, 5}), w = floats({1, 1, 2}, {1, 10});
  EXPECT_THAT(numbers(evaluate("Conv", {x, w})[0]), ElementsAre(21, 32, 43, 54));
  EXPECT_THAT(
      numbers(evaluate("Conv", {x, w, floats({1}, {100})}, attributes({{"strides", Ints{2}}}))[0]),
      ElementsAre(121, 143));
  EXPECT_THAT(numbers(evaluate("Conv", {x, w},
                               attributes({{"dilations", Ints{3}}, {"pads", Ints{1, 0}}}))[0]),
              ElementsAre(30, 41, 52));
  // A negative pad crops.
  EXPECT_THAT(numbers(evaluate("Conv", {x, w}, attributes({{"pads", Ints{-1, -1}}}))[0]),
              ElementsAre(32, 43));
}

TEST(Conv, AutoPadPutsTheOddCellAtTheNamedEnd) {
  const Tensor x = ramp({1, 1, 3}), w = floats({1, 1, 2}, {1, 10});
  EXPECT_THAT(
      numbers(evaluate("Conv", {x, w}, attributes({{"auto_pad", std::string("SAME_UPPER")}}))[0]),
      ElementsAre(21, 32, 3));
  EXPECT_THAT(
      numbers(evaluate("Conv", {x, w}, attributes({{"auto_pad", std::string("SAME_LOWER")}}))[0]),
      ElementsAre(10, 21, 32));
  EXPECT_THAT(
      numbers(evaluate("Conv", {x, w}, attributes({{"auto_pad", std::string("VALID")}}))[0]),
      ElementsAre(21, 32));
}

TEST(Conv, GroupsSeeTheirOwnChannels) {
  const Tensor x = floats({1, 2, 2}, {1, 2, 3, 4}), w = floats({4, 1, 1}, {1, 10, 100, 1000});
  EXPECT_THAT(numbers(evaluate("Conv", {x, w}, attributes({{"group", int64_t{2}}}))[0]),
              ElementsAre(1, 2, 10, 20, 300, 400, 3000, 4000));
}

// The definition, cell by cell, on a shape that needs several blocks.
TEST(Conv, AgreesWithTheDefinition) {
  const Dims xd = {2, 6, 23, 31}, wd = {8, 3, 3, 2};
  const Tensor x = ramp(xd), w = ramp(wd);
  const Attributes a =
      attributes({{"group", int64_t{2}}, {"pads", Ints{1, 0, 2, 1}}, {"strides", Ints{1, 2}}});
  const Value y = evaluate("Conv", {x, w}, a)[0];
  ASSERT_EQ(y.tensor().dims(), (Dims{2, 8, 24, 16}));
  const std::vector<double> xs = to_doubles(x), ws = to_doubles(w), ys = numbers(y);
  size_t at = 0;
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t m = 0; m < 8; ++m)
      for (int64_t i = 0; i < 24; ++i)
        for (int64_t j = 0; j < 16; ++j, ++at) {
          double sum = 0;
          for (int64_t c = 0; c < 3; ++c)
            for (int64_t p = 0; p < 3; ++p)
              for (int64_t q = 0; q < 2; ++q) {
                const int64_t r = i - 1 + p, s = 2 * j + q;
                if (r < 0 || r >= 23 || s >= 31) continue;
                sum += xs[static_cast<size_t>(((n * 6 + m / 4 * 3 + c) * 23 + r) * 31 + s)] *
                       ws[static_cast<size_t>(((m * 3 + c) * 3 + p) * 2 + q)];
              }
          ASSERT_EQ(ys[at], static_cast<double>(static_cast<float>(sum)));
        }
}

TEST(Conv, HostileGeometryIsRefused) {
  const Tensor x = ramp({1, 2, 4, 4}), w = ramp({2, 2, 3, 3});
  const auto message = [&](const Attributes& a) {
    return error_of([&] { evaluate("Conv", {x, w}, a); });
  };
  EXPECT_THAT(message(attributes({{"strides", Ints{0, 1}}})), HasSubstr("strides holds 0"));
  EXPECT_THAT(message(attributes({{"pads", Ints{1, 1}}})), HasSubstr("pads has 2 entries"));
  EXPECT_THAT(message(attributes({{"pads", Ints{-1, 0, -1, 0}}})), HasSubstr("does not fit"));
  EXPECT_THAT(message(attributes({{"dilations", Ints{int64_t{1} << 40, 1}}})),
              HasSubstr("dilations"));
  EXPECT_THAT(message(attributes({{"kernel_shape", Ints{3, 2}}})),
              HasSubstr("kernel_shape is 3x2"));
  EXPECT_THAT(message(attributes({{"group", int64_t{2}}})), HasSubstr("channels"));
  EXPECT_THAT(message(attributes({{"auto_pad", std::string("SAME")}})), HasSubstr("auto_pad"));
  EXPECT_THAT(error_of([&] { evaluate("Conv", {x, ramp({2, 2, 3})}); }), HasSubstr("rank"));
}

TEST(ConvTranspose, SpreadsAndCrops) {
  const Tensor x = floats({1, 1, 3}, {1, 2, 3}), w = floats({1, 1, 2}, {1, 10});
  EXPECT_THAT(numbers(evaluate("ConvTranspose", {x, w})[0]), ElementsAre(1, 12, 23, 30));
  const Attributes strided = attributes({{"strides", Ints{2}}, {"output_padding", Ints{1}}});
  EXPECT_THAT(numbers(evaluate("ConvTranspose", {x, w}, strided)[0]),
              ElementsAre(1, 10, 2, 20, 3, 30, 0));
  EXPECT_THAT(numbers(evaluate("ConvTranspose", {x, w}, attributes({{"pads", Ints{1, 1}}}))[0]),
              ElementsAre(12, 23));
  // output_shape 3 of 4 cells: the one to drop is at the start unless SAME_UPPER.
  EXPECT_THAT(
      numbers(evaluate("ConvTranspose", {x, w}, attributes({{"output_shape", Ints{3}}}))[0]),
      ElementsAre(12, 23, 30));
  EXPECT_THAT(numbers(evaluate("ConvTranspose", {x, w},
                               attributes({{"output_shape", Ints{3}},
                                           {"auto_pad", std::string("SAME_UPPER")}}))[0]),
              ElementsAre(1, 12, 23));
  EXPECT_THAT(error_of([&] {
                evaluate("ConvTranspose", {x, w}, attributes({{"output_padding", Ints{1}}}));
              }),
              HasSubstr("output_padding"));
}

TEST(ConvTranspose, GroupsHaveTheirOwnOutputs) {
  const Tensor x = floats({1, 2, 1}, {1, 2}), w = floats({2, 2, 1}, {1, 10, 100, 1000});
  EXPECT_THAT(numbers(evaluate("ConvTranspose", {x, w}, attributes({{"group", int64_t{2}}}))[0]),
              ElementsAre(1, 10, 200, 2000));
}

TEST(QLinearConv, PaddingIsTheZeroPointAndRoundingIsToEven) {
  const Tensor one = Tensor::scalar(1.0f), x = Tensor::of<uint8_t>({1, 1, 2}, {5, 6});
  const Tensor w = Tensor::of<int8_t>({2, 1, 2}, {1, 1, -1, 1});
  const Value y = evaluate("QLinearConv",
                           {x, one, Tensor::scalar<uint8_t>(4), w, floats({2}, {0.5f, 1}),
                            Tensor::of<int8_t>({2}, {0, 0}), one, Tensor::scalar<uint8_t>(10),
                            Tensor::of<int32_t>({2}, {0, -20})},
                           attributes({{"pads", Ints{1, 1}}}))[0];
  // x less 4 is 1, 2: sums 1, 3, 2 halve to 0.5, 1.5, 1; differences 1, 1, -2 less 20 saturate at
  // 0.
  EXPECT_THAT(numbers(y), ElementsAre(10, 12, 11, 0, 0, 0));
}

TEST(Pool, CeilModeDivisorLeavesOutWhatLiesPastThePadding) {
  const Attributes a = attributes({{"kernel_shape", Ints{3}},
                                   {"strides", Ints{2}},
                                   {"pads", Ints{1, 1}},
                                   {"ceil_mode", int64_t{1}}});
  Attributes counting = a;
  counting.set("count_include_pad", int64_t{1});
  const Tensor x = floats({1, 1, 4}, {1, 2, 3, 4});
  EXPECT_THAT(numbers(evaluate("AveragePool", {x}, a)[0]), ElementsAre(1.5, 3, 4));
  // The last window covers 4, one declared pad, and one cell beyond it.
  EXPECT_THAT(numbers(evaluate("AveragePool", {x}, counting)[0]), ElementsAre(1, 3, 2));
}

TEST(Pool, NoWindowStartsInThePaddingAtTheEnd) {
  const Attributes a =
      attributes({{"kernel_shape", Ints{1}}, {"strides", Ints{2}}, {"ceil_mode", int64_t{1}}});
  EXPECT_THAT(numbers(evaluate("MaxPool", {floats({1, 1, 2}, {1, 2})}, a)[0]), ElementsAre(1));
}

TEST(Pool, IndicesOfMaximaInBothOrders) {
  const Tensor x = floats({1, 2, 2, 3}, {1, 5, 2, 5, 0, 3, 9, 1, 1, 1, 1, 1});
  Attributes a = attributes({{"kernel_shape", Ints{2, 3}}});
  EXPECT_THAT(numbers(evaluate("MaxPool", {x}, a, 2)[1]), ElementsAre(1, 6));
  a.set("storage_order", int64_t{1});
  EXPECT_THAT(numbers(evaluate("MaxPool", {x}, a, 2)[1]), ElementsAre(2, 6));
}

TEST(Pool, NanWinsAndBytesKeepTheirType) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Attributes a = attributes({{"kernel_shape", Ints{2}}});
  EXPECT_TRUE(std::isnan(numbers(evaluate("MaxPool", {floats({1, 1, 2}, {nan, 1})}, a)[0])[0]));
  EXPECT_TRUE(std::isnan(numbers(evaluate("MaxPool", {floats({1, 1, 2}, {1, nan})}, a)[0])[0]));
  const Value y = evaluate("MaxPool", {Tensor::of<int8_t>({1, 1, 2}, {-128, -7})}, a)[0];
  EXPECT_EQ(y.tensor().dtype(), DType::kInt8);
  EXPECT_THAT(numbers(y), ElementsAre(-7));
}

TEST(Pool, LpPoolAndGlobalForms) {
  const Tensor x = floats({1, 1, 3}, {3, -4, 0});
  EXPECT_THAT(numbers(evaluate("LpPool", {x}, attributes({{"kernel_shape", Ints{2}}}))[0]),
              ElementsAre(5, 4));
  EXPECT_THAT(numbers(evaluate("GlobalLpPool", {x}, attributes({{"p", int64_t{1}}}))[0]),
              ElementsAre(7));
  EXPECT_THAT(numbers(evaluate("GlobalMaxPool", {x})[0]), ElementsAre(3));
  EXPECT_THAT(numbers(evaluate("GlobalAveragePool", {floats({1, 2, 2}, {1, 3, 5, 9})})[0]),
              ElementsAre(2, 7));
}

TEST(Pool, AHugeKernelCostsNoMoreThanTheInput) {
  const int64_t big = (int64_t{1} << 31) - 1;
  const Attributes a = attributes({{"kernel_shape", Ints{big}}, {"pads", Ints{big - 1, 0}}});
  EXPECT_THAT(numbers(evaluate("MaxPool", {floats({1, 1, 2}, {1, 2})}, a)[0]), ElementsAre(1, 2));
}

}  // namespace
}  // namespace planish::reference
