#include "base/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace planish {
namespace {

constexpr DType kNumeric[] = {
    DType::kFloat32,    DType::kFloat64,       DType::kFloat16,        DType::kBfloat16,
    DType::kUint8,      DType::kInt8,          DType::kUint16,         DType::kInt16,
    DType::kUint32,     DType::kInt32,         DType::kUint64,         DType::kInt64,
    DType::kUint4,      DType::kInt4,          DType::kUint2,          DType::kInt2,
    DType::kBool,       DType::kFloat8E4M3Fn,  DType::kFloat8E4M3Fnuz, DType::kFloat8E5M2,
    DType::kFloat4E2M1, DType::kFloat8E5M2Fnuz};

TEST(Elements, SmallValuesSurviveEveryType) {
  const std::vector<double> values = {0, 1, 1, 0, 1};
  const std::vector<int64_t> ints = {0, 1, 1, 0, 1};
  for (const DType type : kNumeric) {
    SCOPED_TRACE(to_string(type));
    const Tensor t = from_doubles(type, {5}, values);
    EXPECT_EQ(t.dtype(), type);
    EXPECT_EQ(to_doubles(t), values);
    EXPECT_EQ(load_double(t, 4), 1);
    const Tensor u = from_ints(type, {5}, ints);
    EXPECT_EQ(std::memcmp(t.raw(), u.raw(), static_cast<size_t>(t.bytes())), 0);
    if (is_floating(type)) {
      EXPECT_THROW(to_ints(t), Error);
    } else {
      EXPECT_EQ(to_ints(t), ints);
      EXPECT_EQ(load_int(t, 1), 1);
    }
  }
}

TEST(Elements, MisalignedBuffers) {
  const std::vector<double> values = {0, 1, 1, 0, 1, 1, 1};
  for (const DType type : kNumeric) {
    SCOPED_TRACE(to_string(type));
    const Tensor t = from_doubles(type, {7}, values);
    std::vector<std::byte> buffer(static_cast<size_t>(t.bytes()) + 1);
    std::memcpy(buffer.data() + 1, t.raw(), static_cast<size_t>(t.bytes()));
    EXPECT_EQ(to_doubles(Tensor::borrow(type, {7}, buffer.data() + 1)), values);
  }
}

TEST(Elements, IntegersWrapModuloTheirWidth) {
  const std::vector<int64_t> values = {200, -1, 256, 65535, -129};
  const auto ints = [&](DType type) { return to_ints(from_ints(type, {5}, values)); };
  EXPECT_EQ(ints(DType::kInt8), (std::vector<int64_t>{-56, -1, 0, -1, 127}));
  EXPECT_EQ(ints(DType::kUint8), (std::vector<int64_t>{200, 255, 0, 255, 127}));
  EXPECT_EQ(ints(DType::kInt4), (std::vector<int64_t>{-8, -1, 0, -1, -1}));
  EXPECT_EQ(ints(DType::kUint4), (std::vector<int64_t>{8, 15, 0, 15, 15}));
  EXPECT_EQ(ints(DType::kInt2), (std::vector<int64_t>{0, -1, 0, -1, -1}));
  EXPECT_EQ(ints(DType::kUint2), (std::vector<int64_t>{0, 3, 0, 3, 3}));
  EXPECT_EQ(ints(DType::kBool), (std::vector<int64_t>{1, 1, 1, 1, 1}));
  const std::vector<double> doubles = {200, -1, 256, 65535, -129};
  for (const DType type : kNumeric) {
    if (!is_integer(type)) continue;
    EXPECT_EQ(to_ints(from_doubles(type, {5}, doubles)), ints(type)) << to_string(type);
  }
}

TEST(Elements, SixtyFourBitEdges) {
  constexpr double kTwo63 = 9223372036854775808.0;
  const std::vector<double> big = {kTwo63, -kTwo63, 2 * kTwo63, 2 * kTwo63 - 2048, -kTwo63 - 2048};
  const Tensor u = from_doubles(DType::kUint64, {5}, big);
  EXPECT_EQ(u.data<uint64_t>()[0], uint64_t{1} << 63);
  EXPECT_EQ(u.data<uint64_t>()[1], uint64_t{1} << 63);
  EXPECT_EQ(u.data<uint64_t>()[2], 0u);
  EXPECT_EQ(u.data<uint64_t>()[3], std::numeric_limits<uint64_t>::max() - 2047);
  EXPECT_EQ(u.data<uint64_t>()[4], (uint64_t{1} << 63) - 2048);
  EXPECT_EQ(load_double(u, 0), kTwo63);
  EXPECT_EQ(load_int(u, 0), std::numeric_limits<int64_t>::min());
}

TEST(Elements, OnlyIntegralValuesBecomeIntegers) {
  for (const double bad : {1.5, std::nan(""), double{HUGE_VAL}}) {
    EXPECT_THROW(from_doubles(DType::kInt32, {1}, std::vector<double>{bad}), Error) << bad;
  }
  EXPECT_EQ(load_double(from_doubles(DType::kBool, {}, std::vector<double>{0.25}), 0), 1);
}

TEST(Elements, SubBytePacking) {
  const Tensor t = from_ints(DType::kInt4, {3}, std::vector<int64_t>{1, -2, 7});
  ASSERT_EQ(t.bytes(), 2);
  EXPECT_EQ(static_cast<int>(t.raw()[0]), 0xE1);
  EXPECT_EQ(static_cast<int>(t.raw()[1]), 0x07);
  const Tensor two = from_ints(DType::kUint2, {5}, std::vector<int64_t>{1, 2, 3, 0, 2});
  ASSERT_EQ(two.bytes(), 2);
  EXPECT_EQ(static_cast<int>(two.raw()[0]), 0b00111001);
  EXPECT_EQ(static_cast<int>(two.raw()[1]), 2);
  const Tensor f = from_doubles(DType::kFloat4E2M1, {2}, std::vector<double>{-1.5, 6});
  EXPECT_EQ(static_cast<int>(f.raw()[0]), 0x7B);
  EXPECT_EQ(to_doubles(f), (std::vector<double>{-1.5, 6}));
}

TEST(Elements, Float8SaturatesOnRequest) {
  const std::vector<double> big = {1000};
  EXPECT_TRUE(std::isnan(load_double(from_doubles(DType::kFloat8E4M3Fn, {1}, big), 0)));
  EXPECT_EQ(load_double(from_doubles(DType::kFloat8E4M3Fn, {1}, big, true), 0), 448);
}

TEST(Elements, BrokenCallsAreRefused) {
  const Tensor t = Tensor::of<float>({2}, {1.f, 2.f});
  EXPECT_THROW(load_double(t, 2), Error);
  EXPECT_THROW(load_double(t, -1), Error);
  EXPECT_THROW(from_ints(DType::kInt32, {3}, std::vector<int64_t>{1}), Error);
  EXPECT_THROW(to_doubles(Tensor::from_strings({1}, {"a"})), Error);
  EXPECT_THROW(visit_dtype(DType::kComplex64, []<class T>() {}), Error);
}

}  // namespace
}  // namespace planish
