// Element types, with the numbers of ONNX's TensorProto.DataType.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace planish {

enum class DType : uint8_t {
  kUndefined = 0,
  kFloat32 = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kFloat64 = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBfloat16 = 16,
  kFloat8E4M3Fn = 17,
  kFloat8E4M3Fnuz = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2Fnuz = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUint2 = 25,
  kInt2 = 26,
};

inline constexpr int kDTypeCount = 27;

// Bits of one stored element: 2, 4, 8, ... 128; 0 for kUndefined and kString.
int bit_width(DType type);
// "float32", "uint4", "float8e4m3fn", "string", ...
std::string_view to_string(DType type);
// Accepts to_string's names and ONNX's ("FLOAT", "tensor(float)"); nothing when unknown.
std::optional<DType> parse_dtype(std::string_view name);

bool is_floating(DType type);  // every float width, the 8- and 4-bit ones included
bool is_integer(DType type);   // signed or unsigned of every width; not bool
bool is_signed_integer(DType type);
bool is_complex(DType type);
bool is_sub_byte(DType type);  // 2- or 4-bit: packed, the first element in the low bits

}  // namespace planish
