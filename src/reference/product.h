// The one contraction of the reference: C += A*B on plain matrices, in double or in exact 64-bit
// integers. Convolutions, matrix products and recurrent layers all come down to it.
//
// Blocked and packed, so that checking a large model takes seconds: about 6 GFLOP/s a core with
// nothing but two-wide (SSE2, NEON) arithmetic. Every element of C is summed in the order of k,
// whatever the number of workers: results do not depend on threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "reference/reference.h"

namespace planish::reference {

// A view of a matrix: element (i, j) is data[i * row + j * column].
template <class T>
struct Matrix {
  const T* data = nullptr;
  int64_t row = 0, column = 1;  // strides in elements

  Matrix at(int64_t i, int64_t j) const { return {data + i * row + j * column, row, column}; }
};

// C[m x n] += A[m x k] * B[k x n]; C is row-major with `ldc` elements a row. Any size may be 0.
// Integer arithmetic is modulo 2^64: cut to the result's width it equals arithmetic in that width.
void add_product(
    int64_t m, int64_t n, int64_t k, Matrix<double> a, Matrix<double> b, double* c, int64_t ldc);
void add_product(int64_t m,
                 int64_t n,
                 int64_t k,
                 Matrix<uint64_t> a,
                 Matrix<uint64_t> b,
                 uint64_t* c,
                 int64_t ldc);

// The same with the tiles of C dealt out over the call's workers.
template <class T>
void add_product(const Call& call,
                 int64_t m,
                 int64_t n,
                 int64_t k,
                 Matrix<T> a,
                 Matrix<T> b,
                 T* c,
                 int64_t ldc) {
  if (m <= 0 || n <= 0 || k <= 0) return;
  constexpr int64_t kTileRows = 128, kTileColumns = 256;
  const int64_t rows = (m + kTileRows - 1) / kTileRows,
                columns = (n + kTileColumns - 1) / kTileColumns;
  call.parallel_for(rows * columns, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t i = t / columns * kTileRows, j = t % columns * kTileColumns;
      add_product(std::min(kTileRows, m - i), std::min(kTileColumns, n - j), k, a.at(i, 0),
                  b.at(0, j), c + i * ldc + j, ldc);
    }
  });
}

}  // namespace planish::reference
