#include "reference/product.h"

#include <array>

#include "reference/test_call.h"

namespace planish::reference {
namespace {

// Small integers, so that sums are exact in any order.
template <class T>
std::vector<T> pattern(int64_t count, int64_t seed) {
  std::vector<T> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(static_cast<T>((i * 7 + seed) % 11));
  return out;
}

template <class T>
void expect_product(int64_t m, int64_t n, int64_t k, bool ta, bool tb) {
  const std::vector<T> a = pattern<T>(m * k, 3), b = pattern<T>(k * n, 5);
  const Matrix<T> x = ta ? Matrix<T>{a.data(), 1, m} : Matrix<T>{a.data(), k, 1};
  const Matrix<T> y = tb ? Matrix<T>{b.data(), 1, k} : Matrix<T>{b.data(), n, 1};
  const int64_t ldc = n + 3;
  std::vector<T> c(static_cast<size_t>(m * ldc), T{1});
  add_product(m, n, k, x, y, c.data(), ldc);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < ldc; ++j) {
      T want{1};
      for (int64_t p = 0; p < k && j < n; ++p) want += *x.at(i, p).data * *y.at(p, j).data;
      ASSERT_EQ(c[static_cast<size_t>(i * ldc + j)], want)
          << m << "x" << n << "x" << k << " at " << i << "," << j;
    }
  }
}

TEST(Product, AgreesWithTheDefinitionAcrossBlockEdges) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      for (const auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                                   {1, 9, 5},
                                   {5, 1, 300},
                                   {4, 4, 256},
                                   {65, 257, 257},
                                   {67, 3, 2},
                                   {2, 0, 4},
                                   {3, 4, 0}}) {
        expect_product<double>(m, n, k, ta, tb);
        expect_product<uint64_t>(m, n, k, ta, tb);
      }
    }
  }
}

TEST(Product, WorkersShareTilesAndChangeNoBit) {
  const int64_t m = 300, n = 300, k = 70;
  std::vector<double> a, b;
  for (int64_t i = 0; i < m * k; ++i) a.push_back(1.0 / static_cast<double>(i + 1));
  for (int64_t i = 0; i < k * n; ++i) b.push_back(1.0 / static_cast<double>(i + 2));
  const Attributes none;
  const auto run = [&](const Callbacks& callbacks) {
    std::vector<double> c(static_cast<size_t>(m * n));
    add_product(Call{"", "MatMul", none, {}, 1, callbacks}, m, n, k, Matrix<double>{a.data(), k, 1},
                Matrix<double>{b.data(), n, 1}, c.data(), n);
    return c;
  };
  Callbacks backwards;
  int tasks = 0;
  backwards.parallel_for = [&](int64_t count, const std::function<void(int64_t, int64_t)>& body) {
    for (int64_t i = count; i-- > 0; ++tasks) body(i, i + 1);
  };
  EXPECT_EQ(run({}), run(backwards));
  EXPECT_GT(tasks, 1);
}

TEST(MatMul, VectorsBatchesAndEmptyInnerDims) {
  EXPECT_THAT(numbers(evaluate("MatMul", {floats({2}, {1, 2}), floats({2}, {3, 4})})[0]),
              ElementsAre(11));
  const Value row = evaluate("MatMul", {floats({2}, {1, 2}), floats({2, 2}, {1, 2, 3, 4})})[0];
  EXPECT_EQ(row.tensor().dims(), Dims{2});
  EXPECT_THAT(numbers(row), ElementsAre(7, 10));
  const Value batched =
      evaluate("MatMul", {floats({2, 1, 1, 2}, {1, 2, 3, 4}), floats({2, 2, 1}, {1, 1, 1, 0})})[0];
  EXPECT_EQ(batched.tensor().dims(), (Dims{2, 2, 1, 1}));
  EXPECT_THAT(numbers(batched), ElementsAre(3, 1, 7, 3));
  const Value zeros = evaluate("MatMul", {floats({2, 0}, {}), floats({0, 1}, {})})[0];
  EXPECT_THAT(numbers(zeros), ElementsAre(0, 0));
  EXPECT_THAT(error_of([] {
                evaluate("MatMul", {floats({2, 3}, std::vector<float>(6)),
                                    floats({2, 3}, std::vector<float>(6))});
              }),
              HasSubstr("inner dims"));
}

TEST(MatMul, IntegersWrapInTheirWidth) {
  const Tensor a = Tensor::of<uint32_t>({1, 2}, {4000000000u, 1u}),
               b = Tensor::of<uint32_t>({2, 1}, {2u, 5u});
  EXPECT_EQ(evaluate("MatMul", {a, b})[0].tensor().data<uint32_t>()[0], 4000000000u * 2u + 5u);
  const int64_t big = int64_t{1} << 62;
  EXPECT_THAT(numbers(evaluate("MatMul", {ints({1, 2}, {big, 1}), ints({2, 1}, {1, -3})})[0]),
              ElementsAre(static_cast<double>(big - 3)));
}

TEST(Gemm, TransposesScalesAndBroadcastsTheBias) {
  const Tensor a = floats({2, 1}, {1, 2}), b = floats({3, 2}, {1, 0, 0, 1, 1, 1});
  const Attributes both =
      attributes({{"transA", int64_t{1}}, {"transB", int64_t{1}}, {"alpha", 2.0f}, {"beta", 0.5f}});
  EXPECT_THAT(numbers(evaluate("Gemm", {a, b, floats({3}, {2, 4, 6})}, both)[0]),
              ElementsAre(3, 6, 9));
  EXPECT_THAT(numbers(evaluate("Gemm", {a, b, floats({}, {2})}, both)[0]), ElementsAre(3, 5, 7));
  EXPECT_THAT(error_of([&] { evaluate("Gemm", {a, b, floats({2}, {1, 2})}, both); }),
              HasSubstr("does not broadcast"));
}

TEST(QLinearMatMul, RoundsTheRescaledSum) {
  const Tensor scale = Tensor::scalar(0.5f), zero = Tensor::scalar<uint8_t>(2);
  const Tensor a = Tensor::of<uint8_t>({1, 2}, {4, 7}), b = Tensor::of<uint8_t>({2, 1}, {3, 2});
  // (2 * 1 + 5 * 0) * 0.25 / 0.5 = 1, plus the zero point.
  EXPECT_THAT(numbers(evaluate("QLinearMatMul", {a, scale, zero, b, scale, zero, scale, zero})[0]),
              ElementsAre(3));
}

TEST(Einsum, DiagonalImplicitResultAndChains) {
  const Tensor m = floats({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(numbers(evaluate("Einsum", {m}, attributes({{"equation", std::string("ii->i")}}))[0]),
              ElementsAre(1, 4));
  EXPECT_THAT(numbers(evaluate("Einsum", {m}, attributes({{"equation", std::string("ba")}}))[0]),
              ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(numbers(evaluate("Einsum", {m, m, m},
                               attributes({{"equation", std::string("ij,jk,kl->il")}}))[0]),
              ElementsAre(37, 54, 81, 118));
  EXPECT_THAT(numbers(evaluate("Einsum", {m, floats({2}, {1, 10})},
                               attributes({{"equation", std::string("...j,j->...")}}))[0]),
              ElementsAre(21, 43));
  EXPECT_THAT(
      error_of([&] { evaluate("Einsum", {m}, attributes({{"equation", std::string("i->i")}})); }),
      HasSubstr("axes"));
}

}  // namespace
}  // namespace planish::reference
