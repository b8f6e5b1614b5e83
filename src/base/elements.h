// Element access by value for generic code that need not be fast: reference evaluation, comparison,
// readers, printers. Works on any dtype and on borrowed buffers of any alignment.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/narrow.h"
#include "base/tensor.h"

namespace planish {

// Element `index` (row-major) of a floating, integer or bool tensor. 64-bit integers round to
// nearest even. kInternal when the index is outside; kUnsupported for strings and complex numbers.
double load_double(const Tensor& tensor, int64_t index);
// Element of an integer or bool tensor; a uint64 is reinterpreted. kInvalidModel for other dtypes.
int64_t load_int(const Tensor& tensor, int64_t index);

std::vector<double> to_doubles(const Tensor& tensor);
std::vector<int64_t> to_ints(const Tensor& tensor);

// A new tensor from one value per element; kInternal when the counts differ.
// Floats: rounded once, to nearest even; past the range float8 saturates only when asked (see
// encode_narrow). Integers: the value must be integral (kInternal) and is stored modulo the width.
// bool: value != 0.
Tensor from_doubles(DType dtype, Dims dims, std::span<const double> values, bool saturate = false);
// Integers wrap modulo the width; floats round once; bool: value != 0.
Tensor from_ints(DType dtype, Dims dims, std::span<const int64_t> values);

// 2- and 4-bit elements: the raw code of element `index`, the first one in the low bits.
uint8_t load_packed(const std::byte* data, int bits, int64_t index);
void store_packed(std::byte* data, int bits, int64_t index, uint8_t code);

// Calls f.template operator()<T>() with the C++ type of the elements: float, double, Float16,
// Bfloat16, 8- to 64-bit integers, bool. kUnsupported for the others.
//   visit_dtype(t.dtype(), [&]<class T>() { fill<T>(t); });
template <class F>
decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFloat32:
      return f.template operator()<float>();
    case DType::kFloat64:
      return f.template operator()<double>();
    case DType::kFloat16:
      return f.template operator()<Float16>();
    case DType::kBfloat16:
      return f.template operator()<Bfloat16>();
    case DType::kInt8:
      return f.template operator()<int8_t>();
    case DType::kInt16:
      return f.template operator()<int16_t>();
    case DType::kInt32:
      return f.template operator()<int32_t>();
    case DType::kInt64:
      return f.template operator()<int64_t>();
    case DType::kUint8:
      return f.template operator()<uint8_t>();
    case DType::kUint16:
      return f.template operator()<uint16_t>();
    case DType::kUint32:
      return f.template operator()<uint32_t>();
    case DType::kUint64:
      return f.template operator()<uint64_t>();
    case DType::kBool:
      return f.template operator()<bool>();
    default:
      fail(ErrorCode::kUnsupported, "no support for elements of type {}", to_string(dtype));
  }
}

}  // namespace planish
