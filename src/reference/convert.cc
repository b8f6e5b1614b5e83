#include "reference/convert.h"

#include <charconv>
#include <cstdlib>
#include <string>

#include "base/elements.h"
#include "base/narrow.h"

namespace planish::reference {

namespace {

int64_t float_to_integer(double v, DType to) {
  const auto within = [v](double bound) { return v >= -bound && v < bound; };
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  if (to == DType::kUint64 && v >= 0x1p63)
    return v < 0x1p64 ? static_cast<int64_t>(static_cast<uint64_t>(v)) : kLeast;
  if (to == DType::kInt64 || to == DType::kUint64 || to == DType::kUint32)
    return within(0x1p63) ? static_cast<int64_t>(v) : kLeast;
  // Trunc first: -2147483648.5 is still within int32.
  return std::trunc(v) >= -0x1p31 && v < 0x1p31 ? static_cast<int64_t>(v)
                                                : int64_t{std::numeric_limits<int32_t>::min()};
}

E8M0Round round_mode(const Call& call) {
  const std::string name = call.attributes.get_string("round_mode", "up");
  if (name == "up") return E8M0Round::kUp;
  if (name == "down") return E8M0Round::kDown;
  if (name == "nearest") return E8M0Round::kNearest;
  fail(ErrorCode::kInvalidModel, "{}: round_mode \"{}\" is none of up, down, nearest", call.op,
       name);
}

// float8 and float4: `saturate` and `round_mode` matter.
Tensor to_narrow_float(const Call& call, const Tensor& x, DType to) {
  const bool saturate = call.attributes.get_int("saturate", 1) != 0;
  const E8M0Round round = round_mode(call);
  Tensor y = call.make(to, x.dims());
  std::byte* out = y.mutable_raw();
  const int bits = bit_width(to);
  for_blocks(call, y.size(), [&](int64_t first, int64_t count) {
    double in[kBlock];
    load(x, first, 1, count, in);
    for (int64_t i = 0; i < count; ++i) {
      const uint8_t code = to == DType::kFloat8E8M0 ? encode_e8m0(in[i], saturate, round)
                                                    : encode_narrow(to, in[i], saturate);
      if (bits == 8)
        out[first + i] = static_cast<std::byte>(code);
      else
        store_packed(out, bits, first + i, code);
    }
  });
  return y;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? x - 'A' + 'a' : x) == (y >= 'A' && y <= 'Z' ? y - 'A' + 'a' : y);
  });
}

[[noreturn]] void not_a_number(const Call& call, const std::string& text) {
  fail(ErrorCode::kData, "{}: the string \"{}\" is not a number", call.op, text.substr(0, 64));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Decimal or scientific; INF, +INF, -INF, NaN in any case. Read at the width of the target, so that
// the result is rounded once.
template <class T>
T parse_float(const Call& call, const std::string& text) {
  std::string_view body = trimmed(text);
  const bool negative = body.starts_with('-');
  if (negative || body.starts_with('+')) body.remove_prefix(1);
  const T sign = negative ? T{-1} : T{1};
  if (equal_ignoring_case(body, "inf") || equal_ignoring_case(body, "infinity"))
    return sign * std::numeric_limits<T>::infinity();
  if (equal_ignoring_case(body, "nan")) return std::numeric_limits<T>::quiet_NaN();
  T value{};
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), value);
  const bool out_of_range = error == std::errc::result_out_of_range;
  if (end != body.data() + body.size() || body.empty() || body[0] == '-' ||
      (error != std::errc{} && !out_of_range))
    not_a_number(call, text);
  if (out_of_range) {
    // Too large or too small: strtod tells which.
    const double wide = std::strtod(std::string(body).c_str(), nullptr);
    value = static_cast<T>(wide);
  }
  return sign * value;
}

int64_t parse_integer(const Call& call, const std::string& text, DType to) {
  std::string_view body = trimmed(text);
  if (body.starts_with('+')) body.remove_prefix(1);
  int64_t value = 0;
  const char* last = body.data() + body.size();
  if (const auto [end, error] = std::from_chars(body.data(), last, value);
      error == std::errc{} && end == last)
    return value;
  uint64_t large = 0;
  if (const auto [end, error] = std::from_chars(body.data(), last, large);
      error == std::errc{} && end == last)
    return static_cast<int64_t>(large);
  return float_to_integer(parse_float<double>(call, text), to);
}

uint64_t parse_bool(const Call& call, const std::string& text) {
  if (equal_ignoring_case(trimmed(text), "true")) return 1;
  if (equal_ignoring_case(trimmed(text), "false")) return 0;
  return parse_float<double>(call, text) != 0 ? 1 : 0;
}

Tensor from_strings(const Call& call, const Tensor& x, DType to) {
  const DType work = is_floating(to) && to != DType::kFloat32 ? DType::kFloat64 : to;
  Tensor y = call.make(work, x.dims());
  for (int64_t i = 0; i < x.size(); ++i) {
    const std::string& text = x.strings()[static_cast<size_t>(i)];
    if (to == DType::kFloat32) {
      y.mutable_data<float>()[static_cast<size_t>(i)] = parse_float<float>(call, text);
    } else if (is_floating(to)) {
      y.mutable_data<double>()[static_cast<size_t>(i)] = parse_float<double>(call, text);
    } else if (to == DType::kBool) {
      const uint64_t v = parse_bool(call, text);
      store(y, i, 1, &v);
    } else {
      const int64_t v = parse_integer(call, text, to);
      store(y, i, 1, &v);
    }
  }
  return work == to ? std::move(y) : convert(call, y, to);
}

// The shortest decimal that reads back as the same value of its type; "1.0", "INF", "NaN".
template <class T>
std::string float_text(T v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "INF" : "-INF";
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), v);
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

Tensor to_strings(const Call& call, const Tensor& x) {
  Tensor y = call.make(DType::kString, x.dims());
  std::vector<std::string>& out = y.mutable_strings();
  for (int64_t i = 0; i < x.size(); ++i) {
    std::string& text = out[static_cast<size_t>(i)];
    switch (number_of(x.dtype())) {
      case Number::kFloat: {
        const double v = load_double(x, i);
        text = x.dtype() == DType::kFloat64 ? float_text(v) : float_text(static_cast<float>(v));
        break;
      }
      case Number::kSigned:
        text = std::to_string(load_int(x, i));
        break;
      case Number::kUnsigned:
        if (x.dtype() == DType::kBool)
          text = load_int(x, i) != 0 ? "True" : "False";
        else
          text = std::to_string(static_cast<uint64_t>(load_int(x, i)));
        break;
      case Number::kNone:
        unsupported_type(call, x.dtype());
    }
  }
  return y;
}

}  // namespace

Tensor convert(const Call& call, const Tensor& x, DType to) {
  if (to == DType::kUndefined || is_complex(to)) unsupported_type(call, to);
  if (x.dtype() == to) return Tensor(x);
  if (x.dtype() == DType::kString) return from_strings(call, x, to);
  if (is_complex(x.dtype())) unsupported_type(call, x.dtype());
  if (to == DType::kString) return to_strings(call, x);
  if (is_floating(to) && bit_width(to) <= 8) return to_narrow_float(call, x, to);
  switch (number_of(x.dtype())) {
    case Number::kSigned:
      return map<int64_t>(call, x, to, [](int64_t v) { return v; });
    case Number::kUnsigned:
      return map<uint64_t>(call, x, to, [](uint64_t v) { return v; });
    default:
      break;
  }
  if (is_integer(to))
    return map<double>(call, x, to, [to](double v) { return float_to_integer(v, to); });
  return map<double>(call, x, to, [](double v) { return v; });
}

}  // namespace planish::reference
