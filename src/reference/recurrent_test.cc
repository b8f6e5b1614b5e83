#include <cmath>

#include "reference/test_call.h"

namespace planish::reference {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Rnn, OneCellByHand) {
  const Tensor x = floats({2, 1, 1}, {1, 2}), w = floats({1, 1, 1}, {0.5f}),
               r = floats({1, 1, 1}, {2}), b = floats({1, 2}, {0.25f, 0.5f});
  const std::vector<Value> out = evaluate("RNN", {x, w, r, b}, {}, 2);
  const double first = std::tanh(0.5 + 0.75), second = std::tanh(1 + 0.75 + 2 * first);
  EXPECT_EQ(out[0].tensor().dims(), (Dims{2, 1, 1, 1}));
  EXPECT_NEAR(numbers(out[0])[0], first, 1e-7);
  EXPECT_NEAR(numbers(out[0])[1], second, 1e-7);
  EXPECT_NEAR(numbers(out[1])[0], second, 1e-7);
}

TEST(Rnn, ReverseStartsAtEachRowsOwnEndAndYKeepsInputOrder) {
  // Identity cell: h = x + h.
  const Attributes a =
      attributes({{"direction", std::string("reverse")}, {"activations", Strings{"Affine"}}});
  const Tensor one = floats({1, 1, 1}, {1}), x = floats({3, 2, 1}, {1, 10, 2, 20, 4, 40});
  const std::vector<Value> out =
      evaluate("RNN", {x, one, one, Value(), Tensor::of<int32_t>({2}, {3, 2})}, a, 2);
  EXPECT_THAT(numbers(out[0]), ElementsAre(7, 30, 6, 20, 4, 0));
  EXPECT_THAT(numbers(out[1]), ElementsAre(7, 30));
}

TEST(Rnn, BatchMajorLayoutIsTheSameTransposed) {
  const Tensor w = floats({2, 1, 1}, {1, 1}), r = floats({2, 1, 1}, {1, 10});
  Attributes a = attributes(
      {{"direction", std::string("bidirectional")}, {"activations", Strings{"affine", "Affine"}}});
  const std::vector<Value> time = evaluate("RNN", {floats({2, 2, 1}, {1, 10, 2, 20}), w, r}, a, 2);
  a.set("layout", int64_t{1});
  const std::vector<Value> batch = evaluate("RNN", {floats({2, 2, 1}, {1, 2, 10, 20}), w, r}, a, 2);
  EXPECT_EQ(time[0].tensor().dims(), (Dims{2, 2, 2, 1}));
  EXPECT_THAT(numbers(time[0]), ElementsAre(1, 10, 21, 210, 3, 30, 2, 20));
  EXPECT_THAT(numbers(batch[0]), ElementsAre(1, 21, 3, 2, 10, 210, 30, 20));
  EXPECT_THAT(numbers(batch[1]), ElementsAre(3, 21, 30, 210));
}

TEST(Lstm, GateOrderPeepholesAndBias) {
  // Weights by gate i, o, f, c; no recurrence.
  const Tensor x = floats({1, 1, 1}, {1}), w = floats({1, 4, 1}, {0.1f, 0.2f, 0.3f, 0.4f}),
               r = floats({1, 4, 1}, {0, 0, 0, 0});
  const Tensor p = floats({1, 3}, {0.5f, 0.6f, 0.7f}), c0 = floats({1, 1, 1}, {2});
  const std::vector<Value> out =
      evaluate("LSTM", {x, w, r, Value(), Value(), Value(), c0, p}, {}, 3);
  const double i = sigmoid(0.1 + 0.5 * 2), f = sigmoid(0.3 + 0.7 * 2),
               c = f * 2 + i * std::tanh(0.4);
  const double o = sigmoid(0.2 + 0.6 * c);
  EXPECT_NEAR(numbers(out[2])[0], c, 1e-6);
  EXPECT_NEAR(numbers(out[1])[0], o * std::tanh(c), 1e-6);
}

TEST(Lstm, CoupledGatesAndClip) {
  const Tensor x = floats({1, 1, 1}, {100}), w = floats({1, 4, 1}, {1, 1, 1, 1}),
               r = floats({1, 4, 1}, {0, 0, 0, 0});
  const Attributes a = attributes({{"input_forget", int64_t{1}}, {"clip", 0.5f}});
  const std::vector<Value> out =
      evaluate("LSTM", {x, w, r, Value(), Value(), Value(), floats({1, 1, 1}, {3})}, a, 3);
  const double i = sigmoid(0.5), c = (1 - i) * 3 + i * std::tanh(0.5);
  EXPECT_NEAR(numbers(out[2])[0], c, 1e-6);
  EXPECT_NEAR(numbers(out[1])[0], sigmoid(0.5) * std::tanh(c), 1e-6);  // c itself is not clipped
}

TEST(Gru, BothPlacesOfTheReset) {
  const Tensor x = floats({1, 1, 1}, {1}), w = floats({1, 3, 1}, {0.1f, 0.2f, 0.3f}),
               r = floats({1, 3, 1}, {0.4f, 0.5f, 0.6f});
  const Tensor b = floats({1, 6}, {0, 0, 0.1f, 0, 0, 0.7f}), h0 = floats({1, 1, 1}, {2});
  const double z = sigmoid(0.1 + 0.8), reset = sigmoid(0.2 + 1.0);
  const auto run = [&](int64_t linear) {
    return numbers(evaluate("GRU", {x, w, r, b, Value(), h0},
                            attributes({{"linear_before_reset", linear}}), 2)[1])[0];
  };
  EXPECT_NEAR(run(0), (1 - z) * std::tanh(0.3 + 0.1 + reset * 2 * 0.6 + 0.7) + z * 2, 1e-6);
  EXPECT_NEAR(run(1), (1 - z) * std::tanh(0.3 + 0.1 + reset * (2 * 0.6 + 0.7)) + z * 2, 1e-6);
}

TEST(Recurrent, WrongOperandsAreNamed) {
  const Tensor x = floats({1, 1, 1}, {1}), one = floats({1, 1, 1}, {1});
  EXPECT_THAT(error_of([&] { evaluate("RNN", {x, floats({1, 2, 1}, {1, 1}), one}); }),
              HasSubstr("W is [1x2x1]"));
  EXPECT_THAT(error_of([&] {
                evaluate("RNN", {x, one, one}, attributes({{"activations", Strings{"Swish"}}}));
              }),
              HasSubstr("Swish"));
  EXPECT_THAT(
      error_of([&] { evaluate("RNN", {x, one, one, Value(), Tensor::of<int32_t>({1}, {2})}); }),
      HasSubstr("length is 2"));
  EXPECT_THAT(error_of([&] {
                evaluate("RNN", {x, one, one}, attributes({{"direction", std::string("up")}}));
              }),
              HasSubstr("'up'"));
}

}  // namespace
}  // namespace planish::reference
