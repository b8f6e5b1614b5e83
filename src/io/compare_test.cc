#include "io/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/elements.h"

namespace planish::io {
namespace {

using testing::HasSubstr;

Tensor f32(std::initializer_list<float> values) {
  return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
}

TEST(Compare, RelativeAndAbsoluteParts) {
  const Tolerance t = {.rtol = 0.1, .atol = 0.5, .atol_relative = false};
  EXPECT_TRUE(compare_values(f32({11.4f}), f32({10.f}), t).equal);   // 1.4 <= 0.5 + 1
  EXPECT_FALSE(compare_values(f32({11.6f}), f32({10.f}), t).equal);  // 1.6
  EXPECT_TRUE(compare_values(f32({0.4f}), f32({0.f}), t).equal);
  // The expected side sets the scale: 10 against 11.6 is within 0.5 + 1.16.
  EXPECT_TRUE(compare_values(f32({10.f}), f32({11.6f}), t).equal);
}

TEST(Compare, AbsolutePartRelativeToTheLargest) {
  const Tolerance t = {.rtol = 0, .atol = 1e-3, .atol_relative = true};
  EXPECT_TRUE(compare_values(f32({100.f, 0.05f}), f32({100.f, 0.f}), t).equal);
  EXPECT_FALSE(compare_values(f32({1.f, 0.05f}), f32({1.f, 0.f}), t).equal);
  const float inf = INFINITY;
  EXPECT_FALSE(
      compare_values(f32({inf, 0.05f}), f32({inf, 0.f}), t).equal);  // infinity sets no scale
}

TEST(Compare, SpecialValues) {
  const float nan = NAN, inf = INFINITY;
  EXPECT_TRUE(compare_values(f32({nan, inf, -inf, -0.f}), f32({nan, inf, -inf, 0.f})).equal);
  EXPECT_FALSE(compare_values(f32({1.f}), f32({nan})).equal);
  EXPECT_FALSE(compare_values(f32({nan}), f32({1.f})).equal);
  EXPECT_FALSE(compare_values(f32({inf}), f32({-inf})).equal);
  EXPECT_FALSE(
      compare_values(f32({3e38f}), f32({inf}), {.rtol = 1, .atol = 1e300, .atol_relative = false})
          .equal);
}

TEST(Compare, ReportsTheFirstBadElementAndTheWorst) {
  const Tensor expected = Tensor::of<float>({2, 3}, {1, 2, 4, 8, 16, 32});
  const Tensor actual = Tensor::of<float>({2, 3}, {1, 2, 4, 9, 16, 40});
  const Comparison c = compare_values(actual, expected);
  EXPECT_FALSE(c.equal);
  EXPECT_EQ(c.first_bad, 3);
  EXPECT_EQ(c.bad, 2);
  EXPECT_EQ(c.compared, 6);
  EXPECT_EQ(c.max_abs, 8);
  EXPECT_EQ(c.max_rel, 0.25);
  EXPECT_THAT(c.problem, HasSubstr("[1, 0]: 8 expected, got 9"));
  EXPECT_EQ(c.where, "");
}

TEST(Compare, TypesShapesIntegersAndStringsAreExact) {
  EXPECT_THAT(compare_values(f32({1}), Tensor::of<double>({1}, {1})).problem,
              HasSubstr("type float64 expected"));
  EXPECT_THAT(compare_values(f32({1}), Tensor::of<float>({1, 1}, {1})).problem,
              HasSubstr("shape 1x1 expected"));
  EXPECT_THAT(
      compare_values(Tensor::of<int64_t>({2}, {1, 1000001}), Tensor::of<int64_t>({2}, {1, 1000000}))
          .problem,
      HasSubstr("1000000 expected, got 1000001"));
  EXPECT_FALSE(compare_values(Tensor::of<bool>({1}, {true}), Tensor::of<bool>({1}, {false})).equal);
  EXPECT_FALSE(
      compare_values(Tensor::from_strings({1}, {"a"}), Tensor::from_strings({1}, {"b"})).equal);
  EXPECT_TRUE(
      compare_values(Tensor::from_strings({1}, {"a"}), Tensor::from_strings({1}, {"a"})).equal);
  EXPECT_TRUE(compare_values(f32({}), f32({})).equal);
}

TEST(Compare, PackedIntegersIgnorePadding) {
  Tensor a = from_ints(DType::kInt4, {3}, std::vector<int64_t>{1, 2, 3});
  Tensor b = a;
  a.mutable_raw()[1] |= std::byte{0xF0};
  EXPECT_TRUE(compare_values(a, b).equal);
  b.mutable_raw()[1] = std::byte{4};
  EXPECT_FALSE(compare_values(a, b).equal);
}

TEST(Compare, NarrowFloatsAndComplex) {
  const std::vector<double> values = {1, 1.0009765625};
  EXPECT_TRUE(compare_values(from_doubles(DType::kFloat16, {1}, std::span(values).first(1)),
                             from_doubles(DType::kFloat16, {1}, std::span(values).last(1)))
                  .equal);
  Tensor a(DType::kComplex64, {1}), b(DType::kComplex64, {1});
  const float parts[] = {1.f, 2.f};
  std::memcpy(a.mutable_raw(), parts, 8);
  EXPECT_FALSE(compare_values(a, b).equal);
  EXPECT_EQ(compare_values(a, b).max_abs, 2);
  EXPECT_TRUE(compare_values(a, a).equal);
}

TEST(Compare, SequencesMapsAndOptionals) {
  Sequence a, b;
  a.emplace_back(f32({1}));
  b.emplace_back(f32({1}));
  EXPECT_TRUE(compare_values(a, b).equal);
  b.emplace_back(f32({2}));
  EXPECT_THAT(compare_values(a, b).problem, HasSubstr("a sequence of 2 expected, got one of 1"));
  a.emplace_back(f32({3}));
  EXPECT_EQ(compare_values(a, b).where, "[1]");

  const MapValue x = {Tensor::of<int64_t>({1}, {1}), f32({1})};
  const MapValue y = {Tensor::of<int64_t>({1}, {1}), f32({2})};
  EXPECT_TRUE(compare_values(x, x).equal);
  EXPECT_EQ(compare_values(x, y).where, ".values");
  EXPECT_THAT(compare_values(f32({1}), a).problem, HasSubstr("a sequence expected, got a tensor"));
  EXPECT_TRUE(compare_values(Value(), Value()).equal);
  EXPECT_FALSE(compare_values(Value(), f32({1})).equal);
}

}  // namespace
}  // namespace planish::io
