// Reductions: axes, empty sets, NaN.
#include "reference/reduce.h"

#include "reference/test_eval.h"

namespace planish::reference {
namespace {

using ::testing::ElementsAre;

constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor cube() { return Tensor::of<float>({2, 2, 2}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f}); }

TEST(Reduce, AxesAndKeepdims) {
  const Tensor y = evaluate_one("ReduceSum", {cube(), ints({0, -1})});
  EXPECT_THAT(y.dims(), ElementsAre(1, 2, 1));
  EXPECT_THAT(to_doubles(y), ElementsAre(14, 22));
  const Attributes drop = attributes({{"keepdims", int64_t{0}}});
  EXPECT_THAT(to_doubles(evaluate_one("ReduceMean", {cube(), ints({1})}, drop)),
              ElementsAre(2, 3, 6, 7));
  EXPECT_THAT(evaluate_one("ReduceMean", {cube()}, drop).dims(), ElementsAre());
  // Over no axes: the steps besides the reduction still happen.
  const Attributes none = attributes({{"noop_with_empty_axes", int64_t{1}}});
  EXPECT_THAT(to_doubles(evaluate_one("ReduceSumSquare", {cube(), ints({})}, none)),
              ElementsAre(1, 4, 9, 16, 25, 36, 49, 64));
}

TEST(Reduce, EveryFormula) {
  const Tensor x = floats({3, -4});
  EXPECT_THAT(to_doubles(evaluate_one("ReduceL1", {x})), ElementsAre(7));
  EXPECT_THAT(to_doubles(evaluate_one("ReduceL2", {x})), ElementsAre(5));
  EXPECT_THAT(to_doubles(evaluate_one("ReduceProd", {x})), ElementsAre(-12));
  EXPECT_THAT(to_doubles(evaluate_one("ReduceMax", {x})), ElementsAre(3));
  EXPECT_THAT(to_doubles(evaluate_one("ReduceMin", {x})), ElementsAre(-4));
  EXPECT_NEAR(to_doubles(evaluate_one("ReduceLogSum", {floats({1, 2})}))[0], std::log(3.0), 1e-7);
  EXPECT_NEAR(to_doubles(evaluate_one("ReduceLogSumExp", {floats({1000, 1000})}))[0],
              1000 + std::log(2.0), 1e-4);
  EXPECT_THAT(to_ints(evaluate_one("ReduceMean", {ints({-3, -4})})), ElementsAre(-3));
}

TEST(Reduce, EmptySets) {
  const Tensor x(DType::kFloat32, {2, 0});
  const auto over = [&](const char* op) {
    return to_doubles(evaluate_one(op, {x, ints({1})}, attributes({{"keepdims", int64_t{0}}})));
  };
  EXPECT_THAT(over("ReduceSum"), ElementsAre(0, 0));
  EXPECT_THAT(over("ReduceProd"), ElementsAre(1, 1));
  EXPECT_THAT(over("ReduceMax"), ElementsAre(-kInf, -kInf));
  EXPECT_THAT(over("ReduceMin"), ElementsAre(kInf, kInf));
  EXPECT_THAT(over("ReduceLogSumExp"), ElementsAre(-kInf, -kInf));
  EXPECT_TRUE(std::isnan(over("ReduceMean")[0]));
  EXPECT_EQ(evaluate_one("ReduceSum", {x, ints({0})}).size(), 0);
  const Tensor none(DType::kInt32, {0});
  EXPECT_THAT(to_ints(evaluate_one("ReduceMax", {none})), ElementsAre(-2147483648));
  EXPECT_THAT(to_ints(evaluate_one("ReduceMin", {none})), ElementsAre(2147483647));
  EXPECT_THAT(to_ints(evaluate_one("ReduceMin", {Tensor(DType::kBool, {0})})), ElementsAre(1));
  message_of(ErrorCode::kData, [&] { evaluate("ReduceMean", {none}); });
  message_of(ErrorCode::kData, [&] { evaluate("ArgMax", {none}); });
}

TEST(Reduce, NanWinsWhereverItStands) {
  for (size_t n : {1u, 3u, 17u}) {
    for (size_t at = 0; at < n; ++at) {
      std::vector<float> v(n, 1.0f);
      v[at] = std::numeric_limits<float>::quiet_NaN();
      for (const char* op : {"ReduceMax", "ReduceMin", "ReduceSum", "ReduceLogSumExp"})
        EXPECT_TRUE(std::isnan(to_doubles(evaluate_one(op, {floats(v)}))[0])) << op << at;
      EXPECT_EQ(to_ints(evaluate_one("ArgMax", {floats(v)}))[0], static_cast<int64_t>(at));
    }
  }
}

TEST(Reduce, ArgSelectsFirstOrLast) {
  const Tensor x = ints({2, 5, 5, 1, 1});
  const Attributes last = attributes({{"select_last_index", int64_t{1}}});
  EXPECT_THAT(to_ints(evaluate_one("ArgMax", {x})), ElementsAre(1));
  EXPECT_THAT(to_ints(evaluate_one("ArgMax", {x}, last)), ElementsAre(2));
  EXPECT_THAT(to_ints(evaluate_one("ArgMin", {x})), ElementsAre(3));
  EXPECT_THAT(to_ints(evaluate_one("ArgMin", {x}, last)), ElementsAre(4));
}

}  // namespace
}  // namespace planish::reference
