// Narrow floats, exhaustively: every pattern decodes to the value of its definition, every value
// encodes to the nearest pattern, found here by searching the table of all decoded values.
#include "base/narrow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace planish {
namespace {

// The value of a binary16-like pattern by its textbook definition.
double slow_decode(uint16_t bits, int mantissa, int bias) {
  const int exponent_bits = 15 - mantissa;
  const int exponent = (bits >> mantissa) & ((1 << exponent_bits) - 1);
  const double fraction = (bits & ((1 << mantissa) - 1)) / std::pow(2.0, mantissa);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction != 0 ? std::nan("") : sign * INFINITY;
  }
  if (exponent == 0) return sign * fraction * std::pow(2.0, 1 - bias);
  return sign * (1 + fraction) * std::pow(2.0, exponent - bias);
}

// Nearest of the sorted finite magnitudes `table` (index = code), ties to the even code; overflow
// once the value reaches the midpoint to the value that would follow the last.
int64_t slow_encode(const std::vector<double>& table, double magnitude, double after_last) {
  const auto upper = std::lower_bound(table.begin(), table.end(), magnitude);
  const auto high = static_cast<int64_t>(upper - table.begin());
  if (high == 0) return 0;
  const int64_t low = high - 1;
  const double high_value = upper == table.end() ? after_last : *upper;
  const double middle = table[static_cast<size_t>(low)] / 2 + high_value / 2;
  if (magnitude < middle) return low;
  if (magnitude > middle) return high;
  return (low & 1) == 0 ? low : high;
}

std::vector<double> magnitudes(int last, const std::function<double(int)>& decode) {
  std::vector<double> table;
  for (int code = 0; code <= last; ++code) table.push_back(decode(code));
  return table;
}

template <class T>
void check16(int mantissa, int bias, uint16_t infinity, double after_last) {
  const auto table = magnitudes(infinity - 1, [&](int code) {
    return slow_decode(static_cast<uint16_t>(code), mantissa, bias);
  });
  const auto expect_bits = [&](double value) {
    const auto code = static_cast<uint16_t>(slow_encode(table, std::fabs(value), after_last) |
                                            (std::signbit(value) ? 0x8000 : 0));
    ASSERT_EQ(T(value).bits(), code) << value;
  };
  for (int bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<uint16_t>(bits);
    const auto value = static_cast<double>(static_cast<float>(T::from_bits(pattern)));
    const double expected = slow_decode(pattern, mantissa, bias);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_TRUE(std::isnan(static_cast<float>(T(value)))) << bits;
      continue;
    }
    ASSERT_EQ(value, expected) << bits;
    ASSERT_EQ(std::signbit(value), std::signbit(expected)) << bits;
    ASSERT_EQ(T(value).bits(), pattern);
  }
  // The midpoint above every finite value, and the doubles just beside it.
  for (size_t i = 0; i < table.size(); ++i) {
    const double next = i + 1 < table.size() ? table[i + 1] : after_last;
    const double middle = table[i] / 2 + next / 2;
    for (const double v : {middle, std::nextafter(middle, 0), std::nextafter(middle, INFINITY)}) {
      expect_bits(v);
      expect_bits(-v);
    }
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    const double v = std::bit_cast<double>(random());
    if (std::isfinite(v)) expect_bits(v);
    const int exponent = static_cast<int>(random() % 60) - 40;
    expect_bits(std::ldexp(static_cast<double>(random() >> 11), exponent - 53));
  }
  expect_bits(std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(T(HUGE_VAL).bits(), infinity);
  EXPECT_EQ(T(-HUGE_VAL).bits(), infinity | 0x8000);
}

TEST(Narrow, Float16EveryPatternAndMidpoint) { check16<Float16>(10, 15, 0x7C00, 65536.0); }
TEST(Narrow, Bfloat16EveryPatternAndMidpoint) {
  check16<Bfloat16>(7, 127, 0x7F80, std::ldexp(1.0, 128));
}

TEST(Narrow, DoublesAreRoundedOnce) {
  // Just above the midpoint of 1 and 1 + 2^-10, but rounded to float it would be that midpoint.
  const double above_middle = 1 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  EXPECT_EQ(Float16(above_middle).bits(), 0x3C01);
  EXPECT_EQ(Float16(static_cast<float>(above_middle)).bits(), 0x3C00);
}

TEST(Narrow, IntegersAreRoundedOnce) {
  // 2^62 + 2^54 is the midpoint in bfloat16; the 1 is lost in a double.
  const int64_t above_middle = (int64_t{1} << 62) + (int64_t{1} << 54) + 1;
  EXPECT_EQ(Bfloat16(above_middle).bits(), Bfloat16(std::ldexp(1.0, 62)).bits() + 1);
  EXPECT_EQ(Bfloat16(-above_middle).bits(), (Bfloat16(std::ldexp(1.0, 62)).bits() + 1) | 0x8000);
  EXPECT_EQ(Bfloat16(above_middle - 1).bits(), Bfloat16(std::ldexp(1.0, 62)).bits());
  EXPECT_EQ(static_cast<float>(Bfloat16(std::numeric_limits<int64_t>::min())),
            -std::ldexp(1.f, 63));
  EXPECT_EQ(static_cast<float>(Bfloat16(std::numeric_limits<uint64_t>::max())),
            std::ldexp(1.f, 64));
  EXPECT_EQ(static_cast<float>(Float16(-3)), -3.f);
  EXPECT_EQ(static_cast<float>(Float16(true)), 1.f);
}

struct Float8Case {
  DType type;
  int mantissa, bias, last;  // last: code of the largest finite value
  double largest, after_last;
  bool fnuz;
  int infinity;  // -1: none
};

class Float8 : public testing::TestWithParam<Float8Case> {};

TEST_P(Float8, EveryPatternMidpointAndSpecial) {
  const Float8Case c = GetParam();
  const int sign_bit = c.type == DType::kFloat4E2M1 ? 8 : 0x80;
  const auto table = magnitudes(c.last, [&](int code) {
    const int exponent = code >> c.mantissa;
    const double fraction = (code & ((1 << c.mantissa) - 1)) / std::pow(2.0, c.mantissa);
    return exponent == 0 ? fraction * std::pow(2.0, 1 - c.bias)
                         : (1 + fraction) * std::pow(2.0, exponent - c.bias);
  });
  ASSERT_EQ(table.back(), c.largest);
  for (int code = 0; code <= c.last; ++code) {
    const auto positive = static_cast<uint8_t>(code);
    const auto negative = static_cast<uint8_t>(code | sign_bit);
    EXPECT_EQ(decode_narrow(c.type, positive), table[static_cast<size_t>(code)]);
    EXPECT_EQ(encode_narrow(c.type, table[static_cast<size_t>(code)], false), positive);
    if (c.fnuz && code == 0) continue;
    EXPECT_EQ(decode_narrow(c.type, negative), -table[static_cast<size_t>(code)]);
    EXPECT_TRUE(std::signbit(decode_narrow(c.type, negative)));
    EXPECT_EQ(encode_narrow(c.type, -table[static_cast<size_t>(code)], true), negative);
  }
  int nans = 0, infinities = 0;
  for (int code = 0; code < 2 * sign_bit; ++code) {
    const float value = decode_narrow(c.type, static_cast<uint8_t>(code));
    nans += std::isnan(value) ? 1 : 0;
    infinities += std::isinf(value) ? 1 : 0;
  }
  const bool is_float4 = c.type == DType::kFloat4E2M1;
  EXPECT_EQ(infinities, c.infinity >= 0 ? 2 : 0);
  EXPECT_EQ(nans, c.fnuz ? 1 : is_float4 ? 0 : 2 * sign_bit - 2 * (c.last + 1) - infinities);

  for (size_t i = 0; i < table.size(); ++i) {
    const double next = i + 1 < table.size() ? table[i + 1] : c.after_last;
    const double middle = table[i] / 2 + next / 2;
    for (const double v : {middle, std::nextafter(middle, 0), std::nextafter(middle, INFINITY)}) {
      const int64_t code = slow_encode(table, v, c.after_last);
      for (const bool saturate : {true, false}) {
        const uint8_t positive = encode_narrow(c.type, v, saturate);
        const uint8_t negative = encode_narrow(c.type, -v, saturate);
        if (code <= c.last) {
          EXPECT_EQ(positive, code) << v;
          EXPECT_EQ(negative, c.fnuz && code == 0 ? 0 : code | sign_bit) << v;
        } else if (saturate || is_float4) {
          EXPECT_EQ(positive, c.last);
          EXPECT_EQ(negative, c.last | sign_bit);
        } else if (c.infinity >= 0) {
          EXPECT_EQ(positive, c.infinity);
          EXPECT_EQ(negative, c.infinity | sign_bit);
        } else {
          EXPECT_TRUE(std::isnan(decode_narrow(c.type, positive)));
          EXPECT_TRUE(std::isnan(decode_narrow(c.type, negative)));
        }
      }
    }
  }
  // The tables of ONNX's Cast.
  for (const double v : {double{HUGE_VAL}, -double{HUGE_VAL}, 1e300, -1e300}) {
    const double saturated = decode_narrow(c.type, encode_narrow(c.type, v, true));
    EXPECT_EQ(saturated, std::copysign(c.largest, v));
    const double unsaturated = decode_narrow(c.type, encode_narrow(c.type, v, false));
    if (is_float4) {
      EXPECT_EQ(unsaturated, std::copysign(c.largest, v));
    } else if (c.infinity >= 0) {
      EXPECT_EQ(unsaturated, std::copysign(HUGE_VAL, v));
    } else {
      EXPECT_TRUE(std::isnan(unsaturated));
    }
  }
  for (const bool saturate : {true, false}) {
    const float value = decode_narrow(c.type, encode_narrow(c.type, std::nan(""), saturate));
    if (is_float4) {
      EXPECT_EQ(encode_narrow(c.type, std::nan(""), saturate), 0x8);
    } else {
      EXPECT_TRUE(std::isnan(value));
    }
    EXPECT_EQ(encode_narrow(c.type, -0.0, saturate), c.fnuz ? 0 : sign_bit);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Types,
    Float8,
    testing::Values(Float8Case{DType::kFloat8E4M3Fn, 3, 7, 0x7E, 448, 480, false, -1},
                    Float8Case{DType::kFloat8E4M3Fnuz, 3, 8, 0x7F, 240, 256, true, -1},
                    Float8Case{DType::kFloat8E5M2, 2, 15, 0x7B, 57344, 65536, false, 0x7C},
                    Float8Case{DType::kFloat8E5M2Fnuz, 2, 16, 0x7F, 57344, 65536, true, -1},
                    Float8Case{DType::kFloat4E2M1, 1, 1, 0x07, 6, 8, false, -1}),
    [](const auto& tested) { return std::string(to_string(tested.param.type)); });

TEST(Narrow, E8M0PowersAndRounding) {
  for (int code = 0; code < 255; ++code) {
    const double value = std::ldexp(1.0, code - 127);
    EXPECT_EQ(decode_narrow(DType::kFloat8E8M0, static_cast<uint8_t>(code)), value);
    for (const auto round : {E8M0Round::kUp, E8M0Round::kDown, E8M0Round::kNearest}) {
      EXPECT_EQ(encode_e8m0(value, false, round), code);
    }
    if (code == 254) continue;
    EXPECT_EQ(encode_e8m0(value * 1.001, true, E8M0Round::kUp), code + 1);
    EXPECT_EQ(encode_e8m0(value * 1.999, true, E8M0Round::kDown), code);
    EXPECT_EQ(encode_e8m0(value * 1.499, true, E8M0Round::kNearest), code);
    EXPECT_EQ(encode_e8m0(value * 1.5, true, E8M0Round::kNearest), code + 1);
  }
  EXPECT_TRUE(std::isnan(decode_narrow(DType::kFloat8E8M0, 255)));
  // The table of ONNX's Cast: saturating and up, not saturating and nearest.
  EXPECT_EQ(encode_e8m0(0, true, E8M0Round::kUp), 0);
  EXPECT_EQ(encode_e8m0(0, false, E8M0Round::kNearest), 255);
  EXPECT_EQ(encode_e8m0(HUGE_VAL, true, E8M0Round::kUp), 254);
  EXPECT_EQ(encode_e8m0(HUGE_VAL, false, E8M0Round::kNearest), 255);
  EXPECT_EQ(encode_e8m0(std::ldexp(1.1, 127), true, E8M0Round::kUp), 254);
  EXPECT_EQ(encode_e8m0(std::ldexp(1.6, 127), false, E8M0Round::kNearest), 255);
  EXPECT_EQ(encode_e8m0(std::ldexp(1.0, -140), true, E8M0Round::kUp), 0);
  EXPECT_EQ(encode_e8m0(std::ldexp(1.0, -140), false, E8M0Round::kNearest), 255);
  EXPECT_EQ(encode_e8m0(std::nan(""), true, E8M0Round::kUp), 255);
  EXPECT_EQ(encode_e8m0(-1, true, E8M0Round::kUp), 255);
}

}  // namespace
}  // namespace planish
