#include "base/dtype.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace planish {
namespace {

enum class Family : uint8_t { kNone, kFloat, kSigned, kUnsigned, kBool, kString, kComplex };

struct Info {
  std::string_view name;
  std::string_view onnx;  // spelling in tensor(...) where it differs
  int bits;
  Family family;
};

constexpr std::array<Info, kDTypeCount> kInfo = {{
    {"undefined", "", 0, Family::kNone},       {"float32", "float", 32, Family::kFloat},
    {"uint8", "", 8, Family::kUnsigned},       {"int8", "", 8, Family::kSigned},
    {"uint16", "", 16, Family::kUnsigned},     {"int16", "", 16, Family::kSigned},
    {"int32", "", 32, Family::kSigned},        {"int64", "", 64, Family::kSigned},
    {"string", "", 0, Family::kString},        {"bool", "", 8, Family::kBool},
    {"float16", "", 16, Family::kFloat},       {"float64", "double", 64, Family::kFloat},
    {"uint32", "", 32, Family::kUnsigned},     {"uint64", "", 64, Family::kUnsigned},
    {"complex64", "", 64, Family::kComplex},   {"complex128", "", 128, Family::kComplex},
    {"bfloat16", "", 16, Family::kFloat},      {"float8e4m3fn", "", 8, Family::kFloat},
    {"float8e4m3fnuz", "", 8, Family::kFloat}, {"float8e5m2", "", 8, Family::kFloat},
    {"float8e5m2fnuz", "", 8, Family::kFloat}, {"uint4", "", 4, Family::kUnsigned},
    {"int4", "", 4, Family::kSigned},          {"float4e2m1", "", 4, Family::kFloat},
    {"float8e8m0", "", 8, Family::kFloat},     {"uint2", "", 2, Family::kUnsigned},
    {"int2", "", 2, Family::kSigned},
}};

const Info& info(DType type) {
  const auto index = static_cast<size_t>(type);
  return kInfo[index < kInfo.size() ? index : 0];
}

}  // namespace

int bit_width(DType type) { return info(type).bits; }
std::string_view to_string(DType type) { return info(type).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string_view text = lower;
  if (text.starts_with("tensor(") && text.ends_with(")")) text = text.substr(7, text.size() - 8);
  for (size_t i = 1; i < kInfo.size(); ++i) {
    if (text == kInfo[i].name || (!kInfo[i].onnx.empty() && text == kInfo[i].onnx)) {
      return static_cast<DType>(i);
    }
  }
  return std::nullopt;
}

bool is_floating(DType type) { return info(type).family == Family::kFloat; }
bool is_integer(DType type) {
  return info(type).family == Family::kSigned || info(type).family == Family::kUnsigned;
}
bool is_signed_integer(DType type) { return info(type).family == Family::kSigned; }
bool is_complex(DType type) { return info(type).family == Family::kComplex; }
bool is_sub_byte(DType type) { return info(type).bits == 4 || info(type).bits == 2; }

}  // namespace planish
