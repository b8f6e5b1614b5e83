#include "base/narrow.h"

#include <cmath>

#include "base/error.h"

namespace planish {
namespace {

// One row per format: what distinguishes them is where the special values lie.
struct Format {
  int mantissa;  // explicit mantissa bits
  int emin;      // exponent of the smallest normal value
  uint8_t sign_bit;
  uint8_t max_code;   // magnitude bits of the largest finite value
  uint8_t infinity;   // magnitude bits of infinity, 0 when there is none
  uint8_t nan;        // magnitude bits of NaN, 0 when there is none
  bool unsigned_nan;  // "fnuz": 0x80 is the only NaN and there is no -0
};

const Format& format(DType type) {
  static constexpr Format kE4M3Fn = {3, -6, 0x80, 0x7E, 0, 0x7F, false};
  static constexpr Format kE4M3Fnuz = {3, -7, 0x80, 0x7F, 0, 0, true};
  static constexpr Format kE5M2 = {2, -14, 0x80, 0x7B, 0x7C, 0x7E, false};
  static constexpr Format kE5M2Fnuz = {2, -15, 0x80, 0x7F, 0, 0, true};
  static constexpr Format kE2M1 = {1, 0, 0x08, 0x07, 0, 0, false};
  switch (type) {
    case DType::kFloat8E4M3Fn:
      return kE4M3Fn;
    case DType::kFloat8E4M3Fnuz:
      return kE4M3Fnuz;
    case DType::kFloat8E5M2:
      return kE5M2;
    case DType::kFloat8E5M2Fnuz:
      return kE5M2Fnuz;
    case DType::kFloat4E2M1:
      return kE2M1;
    default:
      fail(ErrorCode::kInternal, "{} is not a narrow float", to_string(type));
  }
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

float decode_e8m0(uint8_t bits) {
  if (bits == 0xFF) return kNan;
  if (bits == 0) return std::bit_cast<float>(0x0040'0000u);  // 2^-127, a denormal
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 23);
}

}  // namespace

float decode_narrow(DType type, uint8_t bits) {
  if (type == DType::kFloat8E8M0) return decode_e8m0(bits);
  const Format& f = format(type);
  const bool negative = (bits & f.sign_bit) != 0;
  const int magnitude = bits & (f.sign_bit - 1);
  if (f.unsigned_nan && negative && magnitude == 0) return kNan;
  if (f.infinity != 0 && magnitude == f.infinity) {
    return negative ? -std::numeric_limits<float>::infinity()
                    : std::numeric_limits<float>::infinity();
  }
  if (magnitude > f.max_code) return negative ? -kNan : kNan;
  const int exponent = magnitude >> f.mantissa;
  const int fraction = magnitude & ((1 << f.mantissa) - 1);
  const int significand = exponent == 0 ? fraction : fraction | (1 << f.mantissa);
  const int scale = f.emin - f.mantissa + (exponent == 0 ? 0 : exponent - 1);
  const float value = std::ldexp(static_cast<float>(significand), scale);
  return negative ? -value : value;
}

uint8_t encode_narrow(DType type, double value, bool saturate) {
  if (type == DType::kFloat8E8M0) return encode_e8m0(value, saturate, E8M0Round::kNearest);
  const Format& f = format(type);
  const bool negative = std::signbit(value);
  const auto sign = static_cast<uint8_t>(negative ? f.sign_bit : 0);
  if (type == DType::kFloat4E2M1) {
    if (std::isnan(value)) return f.sign_bit;  // -0
    saturate = true;
  }
  // "fnuz" has one NaN, in the place of -0.
  const auto nan = f.unsigned_nan ? f.sign_bit : static_cast<uint8_t>(sign | f.nan);
  if (std::isnan(value)) return nan;
  const int64_t code = std::isinf(value) ? int64_t{f.max_code} + 1
                                         : detail::round_magnitude(value, f.mantissa, f.emin);
  if (code > f.max_code) {
    if (saturate) return static_cast<uint8_t>(sign | f.max_code);
    return f.infinity != 0 ? static_cast<uint8_t>(sign | f.infinity) : nan;
  }
  if (code == 0 && f.unsigned_nan) return 0;
  return static_cast<uint8_t>(sign | code);
}

uint8_t encode_e8m0(double value, bool saturate, E8M0Round round) {
  constexpr uint8_t kMin = 0, kMax = 254, kNanCode = 255;
  if (std::isnan(value) || value < 0) return kNanCode;
  if (std::isinf(value)) return saturate ? kMax : kNanCode;
  if (value == 0) return saturate ? kMin : kNanCode;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent) * 2;  // in [1, 2)
  exponent -= 1;
  if (round == E8M0Round::kUp && fraction > 1) ++exponent;
  if (round == E8M0Round::kNearest && fraction >= 1.5) ++exponent;
  const int code = exponent + 127;
  if (code < kMin) return saturate ? kMin : kNanCode;
  if (code > kMax) return saturate ? kMax : kNanCode;
  return static_cast<uint8_t>(code);
}

}  // namespace planish
