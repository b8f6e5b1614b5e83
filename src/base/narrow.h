// Narrow floating-point types: value types for float16 and bfloat16, code/decode functions for the
// 8- and 4-bit ones.
//
// Every conversion into a narrow type takes a double and rounds once, to nearest even: going
// through float first would round twice (1 + 2^-11 + 2^-40 becomes 1 instead of 1 + 2^-10 in
// float16). All functions are pure and thread safe, and independent of the floating-point
// environment (rounding mode, flush-to-zero): they work on bits.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

#include "base/dtype.h"
#include "base/tensor.h"

namespace planish {

namespace detail {

// Magnitude bits of |value| in a format with `mantissa` explicit mantissa bits whose smallest
// normal exponent is `emin` (that exponent's code is 1). The exponent is unbounded above, so a
// result past the format's largest code means overflow. `value` is finite.
constexpr int64_t round_magnitude(double value, int mantissa, int emin) {
  const uint64_t bits = std::bit_cast<uint64_t>(value) & 0x7FFF'FFFF'FFFF'FFFF;
  const int biased = static_cast<int>(bits >> 52);
  if (biased == 0) return 0;  // zero or a double denormal: below half of every format's least value
  const int exponent = biased - 1023;
  const uint64_t significand = (bits & 0x000F'FFFF'FFFF'FFFF) | (uint64_t{1} << 52);
  const int shift = 52 - mantissa + (exponent < emin ? emin - exponent : 0);
  if (shift > 53) return 0;
  uint64_t code = significand >> shift;
  const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
  const uint64_t half = uint64_t{1} << (shift - 1);
  if (rest > half || (rest == half && (code & 1) != 0)) ++code;
  const auto steps = static_cast<int64_t>(exponent < emin ? 0 : exponent - emin);
  return static_cast<int64_t>(code) + (steps << mantissa);
}

constexpr uint16_t encode16(double value, int mantissa, int emin, uint16_t infinity) {
  const auto sign = static_cast<uint16_t>((std::bit_cast<uint64_t>(value) >> 48) & 0x8000);
  const uint64_t magnitude = std::bit_cast<uint64_t>(value) & 0x7FFF'FFFF'FFFF'FFFF;
  if (magnitude > 0x7FF0'0000'0000'0000) {  // quiet NaN
    return static_cast<uint16_t>(sign | infinity | (1u << (mantissa - 1)));
  }
  if (magnitude == 0x7FF0'0000'0000'0000) return static_cast<uint16_t>(sign | infinity);
  const int64_t code = round_magnitude(value, mantissa, emin);
  return static_cast<uint16_t>(sign | (code > infinity ? infinity : static_cast<uint16_t>(code)));
}

// A 64-bit integer as a double whose later rounding to a narrower type is as if done once: bits
// that do not fit are or-ed into the last one (round to odd).
constexpr double sticky_double(uint64_t magnitude) {
  const int width = std::bit_width(magnitude);
  if (width <= 53) return static_cast<double>(magnitude);
  const int drop = width - 53;
  const uint64_t lost = magnitude & ((uint64_t{1} << drop) - 1);
  const uint64_t kept = (magnitude >> drop) | (lost != 0 ? 1u : 0u);
  return static_cast<double>(kept << drop);
}

template <class T>
constexpr double exact_or_sticky(T value) {
  if constexpr (std::integral<T> && sizeof(T) == 8) {
    if (std::signed_integral<T> && value < 0)
      return -sticky_double(0 - static_cast<uint64_t>(value));
    return sticky_double(static_cast<uint64_t>(value));
  } else {
    return static_cast<double>(value);
  }
}

}  // namespace detail

template <class T>
concept Arithmetic = std::integral<T> || std::floating_point<T>;

// IEEE binary16. Out of range becomes infinity.
class Float16 {
 public:
  Float16() = default;
  template <Arithmetic T>
  constexpr explicit Float16(T value)
      : bits_(detail::encode16(detail::exact_or_sticky(value), 10, -14, 0x7C00)) {}
  static constexpr Float16 from_bits(uint16_t bits) {
    Float16 v{};
    v.bits_ = bits;
    return v;
  }
  constexpr uint16_t bits() const { return bits_; }

  // Exact. Implicit, so that comparisons and arithmetic happen in float.
  constexpr operator float() const {  // NOLINT(google-explicit-constructor)
    const uint32_t sign = static_cast<uint32_t>(bits_ & 0x8000) << 16;
    const uint32_t magnitude = bits_ & 0x7FFF;
    uint32_t out = 0;
    if (magnitude >= 0x7C00) {
      out = 0x7F80'0000 | ((magnitude & 0x3FF) << 13);
    } else if (magnitude >= 0x400) {
      out = (magnitude << 13) + ((127u - 15u) << 23);
    } else if (magnitude != 0) {  // denormal: magnitude * 2^-24, a normal float
      const int top = std::bit_width(magnitude) - 1;
      out =
          (static_cast<uint32_t>(top + 127 - 24) << 23) | ((magnitude << (23 - top)) & 0x007F'FFFF);
    }
    return std::bit_cast<float>(sign | out);
  }

 private:
  uint16_t bits_;
};

// The upper half of an IEEE binary32. Out of range becomes infinity.
class Bfloat16 {
 public:
  Bfloat16() = default;
  template <Arithmetic T>
  constexpr explicit Bfloat16(T value)
      : bits_(detail::encode16(detail::exact_or_sticky(value), 7, -126, 0x7F80)) {}
  static constexpr Bfloat16 from_bits(uint16_t bits) {
    Bfloat16 v{};
    v.bits_ = bits;
    return v;
  }
  constexpr uint16_t bits() const { return bits_; }
  constexpr operator float() const {  // NOLINT(google-explicit-constructor)
    return std::bit_cast<float>(static_cast<uint32_t>(bits_) << 16);
  }

 private:
  uint16_t bits_;
};

static_assert(sizeof(Float16) == 2 && sizeof(Bfloat16) == 2);

template <>
struct DTypeOf<Float16> {
  static constexpr DType value = DType::kFloat16;
};
template <>
struct DTypeOf<Bfloat16> {
  static constexpr DType value = DType::kBfloat16;
};

// float8 (e4m3fn, e4m3fnuz, e5m2, e5m2fnuz, e8m0) and float4 (e2m1, the low four bits). Exact.
// kInternal for other types.
float decode_narrow(DType type, uint8_t bits);

// The inverse, as ONNX's Cast defines it. With `saturate`, values past the largest finite one and
// infinities become ± that largest; without, they become infinity where the type has one, else NaN.
// float4 has neither and always saturates; NaN becomes -0, as in ONNX's own cases (a page of its
// manual says 6). e8m0 rounds to nearest here.
uint8_t encode_narrow(DType type, double value, bool saturate);

// How Cast's `round_mode` brings a value to a power of two: away from zero, towards zero, or to the
// nearer one, a tie going up.
enum class E8M0Round : uint8_t { kUp, kDown, kNearest };

// float8e8m0, an unsigned power of two from 2^-127 to 2^127. With `saturate` a value outside comes
// to the nearer end (zero is outside: it becomes 2^-127), without it becomes NaN. Negative values,
// which ONNX leaves open, become NaN; -0 counts as 0.
uint8_t encode_e8m0(double value, bool saturate, E8M0Round round);

}  // namespace planish

template <>
class std::numeric_limits<planish::Float16> : public std::numeric_limits<float> {
 public:
  static constexpr int digits = 11;
  static constexpr planish::Float16 max() { return planish::Float16::from_bits(0x7BFF); }
  static constexpr planish::Float16 lowest() { return planish::Float16::from_bits(0xFBFF); }
  static constexpr planish::Float16 min() { return planish::Float16::from_bits(0x0400); }
  static constexpr planish::Float16 epsilon() { return planish::Float16::from_bits(0x1400); }
  static constexpr planish::Float16 infinity() { return planish::Float16::from_bits(0x7C00); }
  static constexpr planish::Float16 quiet_NaN() { return planish::Float16::from_bits(0x7E00); }
};

template <>
class std::numeric_limits<planish::Bfloat16> : public std::numeric_limits<float> {
 public:
  static constexpr int digits = 8;
  static constexpr planish::Bfloat16 max() { return planish::Bfloat16::from_bits(0x7F7F); }
  static constexpr planish::Bfloat16 lowest() { return planish::Bfloat16::from_bits(0xFF7F); }
  static constexpr planish::Bfloat16 min() { return planish::Bfloat16::from_bits(0x0080); }
  static constexpr planish::Bfloat16 epsilon() { return planish::Bfloat16::from_bits(0x3C00); }
  static constexpr planish::Bfloat16 infinity() { return planish::Bfloat16::from_bits(0x7F80); }
  static constexpr planish::Bfloat16 quiet_NaN() { return planish::Bfloat16::from_bits(0x7FC0); }
};
