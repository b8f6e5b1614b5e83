#include <cmath>
#include <limits>

#include "reference/test_call.h"

namespace planish::reference {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

const Attributes kExact = attributes({{"epsilon", 0.0f}});

TEST(BatchNormalization, ChannelsAndTrainingOutputs) {
  const Tensor x = floats({1, 2, 2}, {1, 3, 10, 30}), one = floats({2}, {1, 1}),
               zero = floats({2}, {0, 0});
  EXPECT_THAT(numbers(evaluate("BatchNormalization",
                               {x, floats({2}, {2, 1}), floats({2}, {0, 5}), floats({2}, {1, 10}),
                                floats({2}, {4, 100})},
                               kExact)[0]),
              ElementsAre(0, 2, 5, 7));
  const std::vector<Value> trained = evaluate(
      "BatchNormalization", {x, one, zero, zero, zero},
      attributes({{"epsilon", 0.0f}, {"momentum", 0.5f}, {"training_mode", int64_t{1}}}), 3);
  EXPECT_THAT(numbers(trained[0]), ElementsAre(-1, 1, -1, 1));
  EXPECT_THAT(numbers(trained[1]), ElementsAre(1, 10));
  EXPECT_THAT(numbers(trained[2]), ElementsAre(0.5, 50));
}

TEST(LayerNormalization, MomentsAndOneWayBroadcast) {
  const Tensor x = floats({2, 2}, {1, 3, 2, 6});
  const std::vector<Value> y =
      evaluate("LayerNormalization", {x, floats({2}, {1, 2}), floats({2, 1}, {0, 10})}, kExact, 3);
  EXPECT_THAT(numbers(y[0]), ElementsAre(-1, 2, 9, 12));
  EXPECT_EQ(y[1].tensor().dims(), (Dims{2, 1}));
  EXPECT_THAT(numbers(y[1]), ElementsAre(2, 4));
  EXPECT_THAT(numbers(y[2]), ElementsAre(1, 0.5));
  EXPECT_THAT(
      error_of([&] { evaluate("LayerNormalization", {x, floats({3, 1, 1}, {1, 1, 1})}, kExact); }),
      HasSubstr("does not broadcast"));
}

TEST(Normalizations, GroupsInstancesAndRoots) {
  const Tensor x = floats({1, 4, 1}, {1, 3, 10, 30}), scale = floats({4}, {1, 2, 1, 1}),
               bias = floats({4}, {0, 0, 0, 1});
  Attributes groups = kExact;
  groups.set("num_groups", int64_t{2});
  EXPECT_THAT(numbers(evaluate("GroupNormalization", {x, scale, bias}, groups)[0]),
              ElementsAre(-1, 2, -1, 2));
  EXPECT_THAT(
      numbers(evaluate("InstanceNormalization",
                       {floats({1, 1, 2}, {1, 3}), floats({1}, {2}), floats({1}, {1})}, kExact)[0]),
      ElementsAre(-1, 3));
  EXPECT_THAT(numbers(evaluate("RMSNormalization", {floats({1, 2}, {1, 7}), floats({2}, {5, 10})},
                               kExact)[0]),
              ElementsAre(1, 14));
  EXPECT_THAT(numbers(evaluate("LpNormalization", {floats({2, 2}, {3, 4, 0, 0})})[0]),
              Pointwise(DoubleNear(1e-7), {0.6, 0.8, 0.0, 0.0}));
  EXPECT_THAT(numbers(evaluate("MeanVarianceNormalization", {floats({2, 1, 1, 1}, {1, 3})})[0]),
              Pointwise(DoubleNear(1e-6), {-1.0, 1.0}));
}

TEST(Lrn, TheWindowIsCutAtTheEnds) {
  const Attributes a =
      attributes({{"size", int64_t{2}}, {"alpha", 2.0f}, {"beta", 1.0f}, {"bias", 0.0f}});
  // size 2 reaches one channel up: 1/(1+4), 2/(4+9), 3/9.
  EXPECT_THAT(numbers(evaluate("LRN", {floats({1, 3, 1}, {1, 2, 3})}, a)[0]),
              Pointwise(DoubleNear(1e-7), {1.0 / 5, 2.0 / 13, 1.0 / 3}));
}

TEST(Softmax, SurvivesLargeValuesAndTakesAnyAxis) {
  EXPECT_THAT(numbers(evaluate("Softmax", {floats({2}, {1000, 1000})})[0]), ElementsAre(0.5, 0.5));
  EXPECT_THAT(numbers(evaluate("Softmax", {floats({2, 2}, {0, 5, 0, 5})},
                               attributes({{"axis", int64_t{0}}}))[0]),
              ElementsAre(0.5, 0.5, 0.5, 0.5));
  EXPECT_NEAR(numbers(evaluate("LogSoftmax", {floats({2}, {-1000, 0})})[0])[0], -1000, 1e-4);
  EXPECT_THAT(numbers(evaluate("Hardmax", {floats({3}, {1, 7, 7})})[0]), ElementsAre(0, 1, 0));
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(numbers(evaluate("Softmax", {floats({2}, {-inf, 0})})[0]), ElementsAre(0, 1));
  EXPECT_TRUE(std::isnan(numbers(evaluate("Softmax", {floats({2}, {-inf, -inf})})[0])[0]));
  EXPECT_EQ(evaluate("Softmax", {floats({2, 0}, {})})[0].tensor().dims(), (Dims{2, 0}));
  EXPECT_THAT(error_of([] {
                evaluate("Softmax", {floats({2}, {1, 2})}, attributes({{"axis", int64_t{1}}}));
              }),
              HasSubstr("axis 1"));
}

}  // namespace
}  // namespace planish::reference
