// Pointwise operators: exact integers, rounding once, broadcasting, corner values.
#include "reference/elementwise.h"

#include <chrono>

#include "base/narrow.h"
#include "reference/test_eval.h"

namespace planish::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<double> values(const Tensor& t) { return to_doubles(t); }

TEST(Elementwise, BroadcastsBothWays) {
  const Tensor a = Tensor::of<float>({2, 1}, {1.f, 2.f});
  const Tensor b = Tensor::of<float>({1, 3}, {10.f, 20.f, 30.f});
  const Tensor y = evaluate_one("Sub", {a, b});
  EXPECT_THAT(y.dims(), ElementsAre(2, 3));
  EXPECT_THAT(values(y), ElementsAre(-9, -19, -29, -8, -18, -28));
  EXPECT_THAT(message_of(ErrorCode::kInvalidInput,
                         [] { evaluate("Add", {floats({1, 2}), floats({1, 2, 3})}); }),
              HasSubstr("do not broadcast"));
}

TEST(Elementwise, BroadcastAgreesWithPlainIndexing) {
  const Dims shapes[][2] = {{{2, 3, 4}, {3, 1}},    {{5}, {2, 1, 5}}, {{1}, {3, 2}},
                            {{4, 1, 3}, {1, 2, 1}}, {{}, {2, 2}},     {{0, 3}, {1}},
                            {{700, 3}, {3}}};
  for (const auto& [da, db] : shapes) {
    Tensor a(DType::kInt32, da), b(DType::kInt32, db);
    int32_t next = 1;
    for (int32_t& v : a.mutable_data<int32_t>()) v = next++;
    for (int32_t& v : b.mutable_data<int32_t>()) v = 10000 * next++;
    const Tensor y = evaluate_one("Add", {a, b});
    const size_t rank = std::max(da.size(), db.size());
    const auto at = [&](const Tensor& t, int64_t flat) {
      int64_t index = 0, stride = 1;
      for (size_t i = 0; i < rank; ++i) {
        const int64_t extent = y.dims()[rank - 1 - i];
        if (i < t.dims().size() && t.dims()[t.dims().size() - 1 - i] != 1) {
          index += flat % extent * stride;
          stride *= extent;
        }
        flat /= extent;
      }
      return load_int(t, index);
    };
    for (int64_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(load_int(y, i), static_cast<int32_t>(at(a, i) + at(b, i))) << i;
  }
}

TEST(Elementwise, IntegersAreExactAndWrap) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(to_ints(evaluate_one("Add", {ints({kMax}), ints({1})})), ElementsAre(-kMax - 1));
  EXPECT_THAT(to_ints(evaluate_one("Mul", {ints({kMax}), ints({2})})), ElementsAre(-2));
  const Tensor a = Tensor::of<uint8_t>({2}, {200, 5}), b = Tensor::of<uint8_t>({2}, {100, 7});
  EXPECT_THAT(to_ints(evaluate_one("Add", {a, b})), ElementsAre(44, 12));
  EXPECT_THAT(to_ints(evaluate_one("Sub", {a, b})), ElementsAre(100, 254));
  EXPECT_THAT(to_ints(evaluate_one("Neg", {Tensor::of<int8_t>({1}, {-128})})), ElementsAre(-128));
  EXPECT_THAT(to_ints(evaluate_one("Abs", {ints({-kMax - 1})})), ElementsAre(-kMax - 1));
  // Beyond 2^53, where doubles have gaps.
  EXPECT_THAT(to_ints(evaluate_one("Add", {ints({9007199254740993}), ints({0})})),
              ElementsAre(9007199254740993));
  EXPECT_THAT(to_ints(evaluate_one("Max", {ints({9007199254740993, 1}), ints({9007199254740992})})),
              ElementsAre(9007199254740993, 9007199254740992));
}

TEST(Elementwise, IntegerDivisionTruncates) {
  EXPECT_THAT(to_ints(evaluate_one("Div", {ints({7, -7, 7, -7}), ints({2, 2, -2, -2})})),
              ElementsAre(3, -3, -3, 3));
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_THAT(to_ints(evaluate_one("Div", {ints({least}), ints({-1})})), ElementsAre(least));
  EXPECT_THAT(message_of(ErrorCode::kData, [] { evaluate("Div", {ints({1, 2}), ints({1, 0})}); }),
              HasSubstr("division by zero (element 1"));
  // Nothing is divided here.
  EXPECT_EQ(evaluate_one("Div", {Tensor(DType::kInt64, {0}), ints({0})}).size(), 0);
}

TEST(Elementwise, ModTakesTheSignItShould) {
  const Tensor a = ints({7, -7, 7, -7}), b = ints({3, 3, -3, -3});
  EXPECT_THAT(to_ints(evaluate_one("Mod", {a, b})), ElementsAre(1, 2, -2, -1));
  EXPECT_THAT(to_ints(evaluate_one("Mod", {a, b}, attributes({{"fmod", int64_t{1}}}))),
              ElementsAre(1, -1, 1, -1));
  EXPECT_THAT(
      to_ints(evaluate_one("Mod", {ints({std::numeric_limits<int64_t>::min()}), ints({-1})})),
      ElementsAre(0));
  message_of(ErrorCode::kInvalidModel, [] { evaluate("Mod", {floats({1}), floats({1})}); });
}

TEST(Elementwise, PowOfIntegers) {
  EXPECT_THAT(to_ints(evaluate_one("Pow", {ints({3, -2, 2, 0}), ints({39, 3, 64, 0})})),
              ElementsAre(4052555153018976267, -8, 0, 1));
  EXPECT_THAT(to_ints(evaluate_one("Pow", {ints({1, -1, 2}), ints({-3, -3, -1})})),
              ElementsAre(1, -1, 0));
  EXPECT_THAT(values(evaluate_one("Pow", {floats({2, 9}), ints({3, -1})})),
              ElementsAre(8, 1.0f / 9.0f));
}

TEST(Elementwise, RoundsOncePerResult) {
  // In float16 1 + 2^-11 ties to 1; a third term decides only if it is still there.
  const Tensor one = Tensor::of<Float16>({1}, {Float16(1.0)});
  const Tensor half = Tensor::of<Float16>({1}, {Float16(0x1p-11)});
  const Tensor tiny = Tensor::of<Float16>({1}, {Float16(0x1p-20)});
  EXPECT_THAT(values(evaluate_one("Sum", {one, half, tiny})), ElementsAre(1.0 + 0x1p-10));
  EXPECT_THAT(values(evaluate_one("Sum", {one, half})), ElementsAre(1.0));
}

TEST(Elementwise, NanPropagatesThroughExtremes) {
  for (const char* op : {"Max", "Min"}) {
    const auto y = values(evaluate_one(op, {floats({kNan, 1}), floats({1, kNan})}));
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1])) << op;
  }
  EXPECT_TRUE(std::isnan(values(evaluate_one("Relu", {floats({kNan})}))[0]));
}

TEST(Elementwise, ClipWithCrossedAndOpenBounds) {
  const Tensor x = floats({-5, 0, 5});
  const auto number = [](float v) { return Tensor::scalar<float>(v); };
  EXPECT_THAT(values(evaluate_one("Clip", {x, number(2), number(1)})), ElementsAre(1, 1, 1));
  EXPECT_THAT(values(evaluate_one("Clip", {x, std::nullopt, number(1)})), ElementsAre(-5, 0, 1));
  EXPECT_THAT(values(evaluate_one("Clip", {x, number(-1)})), ElementsAre(-1, 0, 5));
}

TEST(Elementwise, ActivationsAtTheirCorners) {
  EXPECT_THAT(values(evaluate_one("Round", {floats({0.5f, 1.5f, -2.5f, -0.4f, 2.6f, kInf})})),
              ElementsAre(0, 2, -2, -0.0, 3, kInf));
  EXPECT_THAT(values(evaluate_one("Sigmoid", {floats({-1000, 0, 1000})})), ElementsAre(0, 0.5, 1));
  EXPECT_THAT(values(evaluate_one("Softplus", {floats({-1000, 1000, kInf})})),
              ElementsAre(0, 1000, kInf));
  EXPECT_THAT(values(evaluate_one("HardSigmoid", {floats({-10, 0, 10})})), ElementsAre(0, 0.5, 1));
  EXPECT_THAT(values(evaluate_one("HardSwish", {floats({-4, 0, 3, 6})})),
              ElementsAre(-0.0, 0, 3, 6));
  EXPECT_THAT(values(evaluate_one("ThresholdedRelu", {floats({1, 1.5f})})), ElementsAre(0, 1.5));
  EXPECT_THAT(values(evaluate_one("Softsign", {floats({1, -kInf})})), ElementsAre(0.5, -1));
  EXPECT_NEAR(values(evaluate_one("Gelu", {floats({1})}))[0], 0.8413447, 1e-7);
  EXPECT_NEAR(values(evaluate_one("Gelu", {floats({1})},
                                  attributes({{"approximate", std::string("tanh")}})))[0],
              0.8411920, 1e-7);
}

TEST(Elementwise, ComparisonsAndLogic) {
  EXPECT_THAT(to_ints(evaluate_one("Equal", {strings({2}, {"a", "b"}), strings({}, {"b"})})),
              ElementsAre(0, 1));
  EXPECT_THAT(to_ints(evaluate_one("Equal", {floats({kNan}), floats({kNan})})), ElementsAre(0));
  const Tensor big = Tensor::of<uint64_t>({1}, {uint64_t{1} << 63});
  EXPECT_THAT(to_ints(evaluate_one("Greater", {big, Tensor::of<uint64_t>({1}, {uint64_t{1}})})),
              ElementsAre(1));
  const Tensor p = Tensor::of<bool>({2}, {true, false});
  EXPECT_THAT(to_ints(evaluate_one("Xor", {p, Tensor::scalar<bool>(true)})), ElementsAre(0, 1));
  message_of(ErrorCode::kInvalidInput, [] { evaluate("And", {ints({1}), ints({1})}); });
  message_of(ErrorCode::kInvalidInput, [] { evaluate("Less", {ints({1}), floats({1})}); });
}

TEST(Elementwise, Shifts) {
  const Attributes left = attributes({{"direction", std::string("LEFT")}});
  const Attributes right = attributes({{"direction", std::string("RIGHT")}});
  const Tensor x = Tensor::of<uint8_t>({3}, {0x81, 3, 1});
  const Tensor by = Tensor::of<uint8_t>({3}, {1, 1, 200});
  EXPECT_THAT(to_ints(evaluate_one("BitShift", {x, by}, left)), ElementsAre(2, 6, 0));
  EXPECT_THAT(to_ints(evaluate_one("BitShift", {x, by}, right)), ElementsAre(0x40, 1, 0));
  EXPECT_THAT(to_ints(evaluate_one("BitwiseNot", {Tensor::of<uint8_t>({1}, {1})})),
              ElementsAre(254));
}

TEST(Elementwise, WhereMovesAnyType) {
  const Tensor c = Tensor::of<bool>({2, 1}, {true, false});
  const Tensor y = evaluate_one("Where", {c, strings({}, {"yes"}), strings({2}, {"n0", "n1"})});
  EXPECT_THAT(y.strings(), ElementsAre("yes", "yes", "n0", "n1"));
}

// Casts.

Tensor cast(const Tensor& x, DType to) {
  return evaluate_one("Cast", {x}, attributes({{"to", static_cast<int64_t>(to)}}));
}

TEST(Cast, BetweenNumbers) {
  EXPECT_THAT(to_ints(cast(floats({1.9f, -1.9f, 300, -1}), DType::kUint8)),
              ElementsAre(1, 255, 44, 255));
  EXPECT_THAT(to_ints(cast(floats({3e9f, kNan}), DType::kInt32)),
              ElementsAre(-2147483648, -2147483648));
  EXPECT_THAT(to_ints(cast(Tensor::of<int16_t>({1}, {200}), DType::kInt8)), ElementsAre(-56));
  EXPECT_THAT(to_ints(cast(floats({0, -0.0f, 0.5f, kNan}), DType::kBool)), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(to_ints(cast(ints({-9, 7, 8}), DType::kInt4)), ElementsAre(7, 7, -8));
  // One rounding: 2^24 + 1 ties to even, 2^62 + 2^38 + 1 is just above a tie.
  EXPECT_THAT(
      values(cast(ints({16777217, (int64_t{1} << 62) + (int64_t{1} << 38) + 1}), DType::kFloat32)),
      ElementsAre(16777216.0, 0x1p62 + 0x1p39));
}

TEST(Cast, Strings) {
  EXPECT_THAT(cast(floats({0.1f, 1, -kInf, kNan}), DType::kString).strings(),
              ElementsAre("0.1", "1.0", "-INF", "NaN"));
  EXPECT_THAT(cast(ints({-7}), DType::kString).strings(), ElementsAre("-7"));
  const Tensor text = strings({6}, {"3.14", "+1e-5", "1E8", "-inf", " 2 ", "1e400"});
  EXPECT_THAT(values(cast(text, DType::kFloat32)), ElementsAre(3.14f, 1e-5f, 1e8, -kInf, 2, kInf));
  EXPECT_THAT(to_ints(cast(strings({3}, {"9007199254740993", "100.5", "-3"}), DType::kInt64)),
              ElementsAre(9007199254740993, 100, -3));
  EXPECT_THAT(message_of(ErrorCode::kData, [] { cast(strings({1}, {"Hello"}), DType::kFloat32); }),
              HasSubstr("\"Hello\" is not a number"));
  message_of(ErrorCode::kData, [] { cast(strings({1}, {"+-1"}), DType::kFloat32); });
}

TEST(Elementwise, TenMillionFloatsTakeWellUnderASecond) {
  const Tensor x(DType::kFloat32, {10'000'000});
  const auto begin = std::chrono::steady_clock::now();
  evaluate("Relu", {x});
  evaluate("Add", {x, x});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 5.0);  // about 0.1 s when the machine is idle
}

}  // namespace
}  // namespace planish::reference
