// Values by hand: heads of size 1 have the scale 1, so that scores of 0 weigh all keys alike and
// scores of 0 and ln 3 weigh 1 : 3.
#include <cmath>
#include <limits>

#include "reference/test_call.h"

namespace planish::reference {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::Pointwise;

const float kLn3 = std::log(3.0f);
const float kInf = std::numeric_limits<float>::infinity();

Tensor heads(std::vector<float> values) {
  const auto length = static_cast<int64_t>(values.size());
  return floats({1, 1, length, 1}, std::move(values));
}
Tensor bools(Dims dims, std::initializer_list<bool> values) {
  return Tensor::of<bool>(std::move(dims), values);
}
std::vector<double> attend(const std::vector<Value>& inputs, const Attributes& a = {}) {
  return numbers(evaluate("Attention", inputs, a)[0]);
}
auto near(std::vector<double> values) { return Pointwise(DoubleNear(1e-6), std::move(values)); }

TEST(Attention, WeighsValuesByTheScaledScores) {
  const Tensor k = heads({0, kLn3}), v = heads({4, 8});
  EXPECT_THAT(attend({heads({1, 0}), k, v}), near({7, 6}));
  EXPECT_THAT(attend({heads({1}), k, v}, attributes({{"scale", 2.0f}})), near({7.6}));
  // Four products of ln 3 / 2, over the root of the head's size.
  const Tensor wide = floats({1, 1, 1, 4}, {1, 1, 1, 1});
  const float half = kLn3 / 2;
  EXPECT_THAT(attend({wide, floats({1, 1, 2, 4}, {0, 0, 0, 0, half, half, half, half}), v}),
              near({7}));
  EXPECT_THAT(attend({floats({1, 1, 1, 0}, {}), floats({1, 1, 2, 0}, {}), v}), near({6}));
  EXPECT_THAT(attend({heads({1, 2}), heads({}), heads({})}), near({0, 0}));
}

TEST(Attention, TakesEveryFloatTypeAndTheTypeOfQ) {
  for (const DType type : {DType::kFloat16, DType::kBfloat16, DType::kFloat32, DType::kFloat64}) {
    const Tensor q = from_doubles(type, {1, 1, 1, 1}, std::vector<double>{0}),
                 k = from_doubles(type, {1, 1, 2, 1}, std::vector<double>{1, 2});
    const std::vector<Value> y = evaluate("Attention", {q, k, heads({1, 2})}, {}, 4);
    EXPECT_EQ(y[0].tensor().dtype(), type);
    EXPECT_THAT(numbers(y[0]), ElementsAre(1.5));
    EXPECT_EQ(y[1].tensor().dtype(), type);
    EXPECT_EQ(y[2].tensor().dtype(), DType::kFloat32);
    EXPECT_EQ(y[3].tensor().dtype(), type);
  }
}

TEST(Attention, NeighbouringHeadsShareKeysInBothForms) {
  const Tensor none = floats({1, 4, 1, 1}, {0, 0, 0, 0});
  EXPECT_THAT(attend({none, floats({1, 2, 1, 1}, {0, 0}), floats({1, 2, 1, 1}, {1, 2})}),
              ElementsAre(1, 1, 2, 2));
  const Attributes two = attributes({{"q_num_heads", int64_t{2}}, {"kv_num_heads", int64_t{1}}});
  const std::vector<Value> y = evaluate(
      "Attention",
      {floats({1, 2, 2}, {0, 1, 1, 0}), floats({1, 2, 1}, {0, kLn3}), floats({1, 2, 1}, {4, 8})},
      two, 3);
  EXPECT_EQ(y[0].tensor().dims(), (Dims{1, 2, 2}));
  EXPECT_THAT(numbers(y[0]), near({6, 7, 7, 6}));
  EXPECT_EQ(y[1].tensor().dims(), (Dims{1, 1, 2, 1}));
  // Two heads of K and V: head 1 is every second value.
  const std::vector<Value> split =
      evaluate("Attention",
               {floats({1, 1, 2}, {0, 0}), floats({1, 2, 2}, {0, 0, 0, 0}),
                floats({1, 2, 2}, {1, 10, 3, 30})},
               attributes({{"q_num_heads", int64_t{2}}, {"kv_num_heads", int64_t{2}}}), 3);
  EXPECT_THAT(numbers(split[0]), ElementsAre(2, 20));
  EXPECT_THAT(numbers(split[2]), ElementsAre(1, 3, 10, 30));
}

TEST(Attention, TheCausalFrontierStandsBehindTheCache) {
  const Attributes causal = attributes({{"is_causal", int64_t{1}}});
  const Tensor q = heads({0, 0}), two = heads({0, 0}), k = heads({0, 0, 0, 0}),
               v = heads({1, 3, 5, 7});
  EXPECT_THAT(attend({q, k, v}, causal), ElementsAre(1, 2));
  const std::vector<Value> y =
      evaluate("Attention", {q, two, heads({5, 7}), {}, heads({8, 9}), heads({1, 3})}, causal, 3);
  EXPECT_THAT(numbers(y[0]), ElementsAre(3, 4));
  EXPECT_THAT(numbers(y[1]), ElementsAre(8, 9, 0, 0));
  EXPECT_THAT(numbers(y[2]), ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(attend({q, k, v, {}, {}, {}, ints({1}, {4})}, causal), ElementsAre(3, 4));
  EXPECT_THAT(attend({q, k, v, {}, {}, {}, ints({1}, {1})}, causal), ElementsAre(0, 1));
  EXPECT_THAT(attend({q, k, v, {}, {}, {}, ints({1}, {3})}), ElementsAre(3, 3));
}

TEST(Attention, ThePastGoesBeforeEveryHeadOfEveryBatch) {
  const std::vector<Value> y = evaluate("Attention",
                                        {floats({2, 2, 1, 1}, {0, 0, 0, 0}),
                                         floats({2, 2, 1, 1}, {0, 0, 0, 0}),
                                         floats({2, 2, 1, 1}, {1, 2, 3, 4}),
                                         {},
                                         floats({2, 2, 1, 1}, {0, 0, 0, 0}),
                                         floats({2, 2, 1, 1}, {11, 22, 33, 44})},
                                        {}, 3);
  EXPECT_THAT(numbers(y[2]), ElementsAre(11, 1, 22, 2, 33, 3, 44, 4));
  EXPECT_THAT(numbers(y[0]), ElementsAre(6, 12, 18, 24));
}

TEST(Attention, MasksOfEveryTypeAndRank) {
  const Tensor q = heads({0, 0}), k = heads({0, 0, 0}), v = heads({2, 4, 12});
  const auto masked = [&](const Tensor& mask, const Attributes& a = {}) {
    return attend({q, k, v, mask}, a);
  };
  EXPECT_THAT(masked(bools({2, 3}, {true, true, false, false, false, true})), ElementsAre(3, 12));
  EXPECT_THAT(masked(bools({3}, {true, false, true})), ElementsAre(7, 7));
  EXPECT_THAT(masked(bools({1, 1, 2, 3}, {false, true, false, true, false, false})),
              ElementsAre(4, 2));
  EXPECT_THAT(masked(floats({2, 3}, {0, kLn3, -kInf, -kInf, 0, 0})), near({3.5, 8}));
  EXPECT_THAT(masked(ints({2, 3}, {0, 0, 0, 0, 0, 1000})), ElementsAre(6, 12));
  EXPECT_THAT(masked(floats({}, {5})), ElementsAre(6, 6));
  // Shorter than the keys, down to one: the rest is masked.
  EXPECT_THAT(masked(floats({2, 2}, {0, 0, -kInf, 0})), ElementsAre(3, 4));
  EXPECT_THAT(masked(bools({2, 1}, {true, true})), ElementsAre(2, 2));
  // A mask is one more reason beside the causal one.
  EXPECT_THAT(masked(bools({3}, {false, true, true}), attributes({{"is_causal", int64_t{1}}})),
              ElementsAre(0, 4));
  // A mask for each head.
  EXPECT_THAT(attend({floats({1, 2, 1, 1}, {0, 0}), k, v,
                      bools({2, 1, 3}, {true, false, false, false, false, true})}),
              ElementsAre(2, 12));
}

TEST(Attention, WhatIsMaskedDoesNotCount) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor q = heads({0, 0}), mask = bools({2, 2}, {true, false, false, false});
  EXPECT_THAT(attend({q, heads({0, nan}), heads({3, kInf}), mask}), ElementsAre(3, 0));
  const std::vector<Value> y = evaluate("Attention", {q, heads({0, 0}), heads({3, 5}), mask},
                                        attributes({{"qk_matmul_output_mode", int64_t{3}}}), 4);
  EXPECT_THAT(numbers(y[3]), ElementsAre(1, 0, 0, 0));
  // A score of -inf masks nothing: the softmax of nothing else is undefined.
  EXPECT_TRUE(std::isnan(attend({heads({1}), heads({-kInf}), heads({1})})[0]));
}

TEST(Attention, WindowsReachFromTheAbsolutePosition) {
  const Tensor q = heads({0, 0}), k = heads({0, 0, 0, 0}), v = heads({1, 3, 5, 7});
  const auto window = [](int64_t left, int64_t right) {
    return attributes({{"left_window_size", left}, {"right_window_size", right}});
  };
  EXPECT_THAT(attend({q, k, v}, window(0, 0)), ElementsAre(1, 3));
  EXPECT_THAT(attend({q, k, v}, window(-1, 1)), ElementsAre(2, 3));
  EXPECT_THAT(attend({q, k, v}, window(0, -1)), ElementsAre(4, 5));
  EXPECT_THAT(attend({q, k, v, {}, {}, {}, ints({1}, {4})}, window(1, 0)), ElementsAre(4, 6));
  EXPECT_THAT(attend({q, k, v, {}, {}, {}, ints({1}, {0})},
                     window(std::numeric_limits<int64_t>::max(), -1)),
              ElementsAre(0, 0));
}

TEST(Attention, ScoresOfEveryStage) {
  const auto scores = [](int64_t mode) {
    return numbers(evaluate(
        "Attention", {heads({2}), heads({0, 1, 7}), heads({1, 1, 1}), floats({3}, {1, 2, -kInf})},
        attributes({{"qk_matmul_output_mode", mode}, {"softcap", 2.0f}}), 4)[3]);
  };
  const double one = 2 * std::tanh(1.0);
  EXPECT_THAT(scores(0), ElementsAre(0, 2, 14));
  EXPECT_THAT(scores(1), near({0, one, 2 * std::tanh(7.0)}));
  EXPECT_THAT(scores(2), Pointwise(testing::NanSensitiveDoubleEq(),
                                   {1.0, double(float(one + 2)), double(-kInf)}));
  const double odds = std::exp(one + 1);
  EXPECT_THAT(scores(3), near({1 / (1 + odds), odds / (1 + odds), 0}));
}

TEST(Attention, SoftmaxPrecisionRoundsScoresAndWeights) {
  // 2049 is between two halves.
  const auto y = [](int64_t precision) {
    return attend({heads({1}), heads({2048, 2049}), heads({0, 1})},
                  attributes({{"softmax_precision", precision}}));
  };
  EXPECT_THAT(y(10), ElementsAre(0.5));
  EXPECT_THAT(y(11), near({1 / (1 + std::exp(-1.0))}));
  EXPECT_THAT(y(1), near({1 / (1 + std::exp(-1.0))}));
}

TEST(Attention, SaysWhatDoesNotFit) {
  const Tensor one = heads({1}), two = heads({1, 2}), flat = floats({1, 1, 2}, {1, 2});
  const auto error = [](const std::vector<Value>& inputs, const Attributes& a = {}) {
    return error_of([&] { evaluate("Attention", inputs, a); });
  };
  EXPECT_THAT(error({one, two, one}), HasSubstr("do not fit"));
  EXPECT_THAT(error({one, flat, flat}), HasSubstr("differ in rank"));
  EXPECT_THAT(error({flat, flat, flat}), HasSubstr("q_num_heads"));
  EXPECT_THAT(error({one, one, one, two}), HasSubstr("does not broadcast"));
  EXPECT_THAT(error({one, one, one, {}, one}), HasSubstr("go together"));
  EXPECT_THAT(error({one, one, one, {}, one, one, ints({1}, {1})}), HasSubstr("excludes"));
  EXPECT_THAT(error({one, one, one, {}, {}, {}, ints({1}, {2})}), HasSubstr("outside [0, 1]"));
  EXPECT_THAT(error({one, one, one}, attributes({{"qk_matmul_output_mode", int64_t{4}}})),
              HasSubstr("mode 4"));
  EXPECT_THAT(error({one, one, one}, attributes({{"softmax_precision", int64_t{7}}})),
              HasSubstr("softmax_precision 7"));
  EXPECT_THAT(error({one, one, one}, attributes({{"q_num_heads", int64_t{2}}})),
              HasSubstr("q_num_heads 2"));
}

}  // namespace
}  // namespace planish::reference
