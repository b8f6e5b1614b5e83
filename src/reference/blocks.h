// Runs of elements as numbers. An operator is written for three kinds of number only (double,
// int64_t, uint64_t); load and store turn blocks of any numeric dtype into them and back, which
// keeps the inner loops plain and the operator files short.
//
// Rounding happens once, in store: a double goes to the nearest value of the dtype (ties to even),
// an integer loses its high bits (arithmetic modulo 2^width, as ONNX says of integer overflow).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/tensor.h"
#include "reference/reference.h"

namespace planish::reference {

// How elements of a dtype are computed. Bools count as unsigned; strings and complex as neither.
enum class Number : uint8_t { kFloat, kSigned, kUnsigned, kNone };
Number number_of(DType type);

// out[i] = element (first + i * step) of `t`; a float read as an integer is truncated.
void load(const Tensor& t, int64_t first, int64_t step, int64_t count, double* out);
void load(const Tensor& t, int64_t first, int64_t step, int64_t count, int64_t* out);
void load(const Tensor& t, int64_t first, int64_t step, int64_t count, uint64_t* out);
// Element (first + i) of `t` = in[i]. A bool becomes in[i] != 0.
void store(Tensor& t, int64_t first, int64_t count, const double* in);
void store(Tensor& t, int64_t first, int64_t count, const int64_t* in);
void store(Tensor& t, int64_t first, int64_t count, const uint64_t* in);

// The whole tensor as numbers.
std::vector<double> doubles(const Tensor& t);
std::vector<int64_t> integers(const Tensor& t);
// The only element of input `i` (rank 0, or any rank with one element); kInvalidInput otherwise.
int64_t one_integer(const Call& call, size_t i);
double one_double(const Call& call, size_t i);

// Elements handled at a time: 4 KiB of doubles, so that a few buffers stay in the first cache; a
// multiple of 8, so that blocks of packed sub-byte types never share a byte.
inline constexpr int64_t kBlock = 512;

// Calls body(first, count) for each block of [0, total), in parallel.
template <class Body>
void for_blocks(const Call& call, int64_t total, Body&& body) {
  const int64_t blocks = total / kBlock + (total % kBlock != 0);
  call.parallel_for(blocks, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const int64_t first = b * kBlock;
      body(first, std::min(kBlock, total - first));
    }
  });
}

// {t} without a copy of the elements.
inline std::vector<Value> single(Tensor t) {
  std::vector<Value> out;
  out.emplace_back(std::move(t));
  return out;
}

[[noreturn]] void unsupported_type(const Call& call, DType type);
// -axis counts from the back; kInvalidModel outside [-rank, rank).
int64_t normal_axis(const Call& call, int64_t axis, int64_t rank);

}  // namespace planish::reference
