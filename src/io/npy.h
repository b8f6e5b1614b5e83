// NumPy's array files, `.npy` (format versions 1 to 3) and `.npz` (a zip of them).
//
// Read: both byte orders, C and Fortran order; bool, all integers, float16/32/64, complex, bytes
// ('S') and text ('U') as string tensors. Types of the ml_dtypes package lie in such files as
// nameless bytes ('V2', 'V1'): they are read when the caller says which dtype is meant. Structured
// arrays, Python objects, dates and long doubles are kUnsupported. Header, shape and file size must
// agree before memory is taken; errors are kInvalidInput and name the file in the versions that
// take a path. Tensors own their elements.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "base/tensor.h"

namespace planish::io {

// `meant`: the dtype the caller expects. It names the meaning of nameless bytes, and lets 8-bit
// integers be read into a 4- or 2-bit type (values must fit); otherwise the file decides.
Tensor read_npy(std::span<const std::byte> bytes, DType meant = DType::kUndefined);
Tensor read_npy_file(const std::string& path, DType meant = DType::kUndefined);

// Little endian, C order, version 1. Types that NumPy lacks are written as
// nameless bytes, 4- and 2-bit integers as int8 or uint8; strings must be UTF-8 without NUL at the
// end (kUnsupported).
std::string serialize_npy(const Tensor& tensor);
void write_npy_file(const std::string& path, const Tensor& tensor);

// Array name (without ".npy") to array.
using NamedTensors = std::map<std::string, Tensor>;

// `meant` as for read_npy, by array name; "" stands for all arrays that are not named. Null:
// nothing is known.
NamedTensors read_npz(std::span<const std::byte> bytes,
                      const std::map<std::string, DType>* meant = nullptr);
NamedTensors read_npz_file(const std::string& path,
                           const std::map<std::string, DType>* meant = nullptr);
// Stored, or deflated as np.savez_compressed does. The same tensors give the same bytes.
void write_npz_file(const std::string& path, const NamedTensors& tensors, bool compress = false);

}  // namespace planish::io
