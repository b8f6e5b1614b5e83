// A small packed matrix product after Goto and van de Geijn ("Anatomy of High-Performance Matrix
// Multiplication", 2008): panels of A and B are copied into contiguous strips, and a 4 x 4 tile of
// C stays in registers over a block of k. The vector type is the compiler's own two-double
// extension, so the code does not hang on optimisation flags.
#include "reference/product.h"

#include <algorithm>
#include <vector>

namespace planish::reference {
namespace {

using Pair = double __attribute__((vector_size(16)));

constexpr int64_t kTile =
    4;  // rows and columns of the register tile: 8 accumulators of 16 registers
constexpr int64_t kDepth =
    256;                       // block of k: a strip of A (8 KiB) and of B (8 KiB) fit the L1 cache
constexpr int64_t kRows = 64;  // block of m: packed A, 128 KiB, stays in L2
constexpr int64_t kColumns = 256;  // block of n: packed B, 512 KiB

Pair load(const double* p) { return Pair{p[0], p[1]}; }

// tile[4 x 4] = A strip (depth x 4) times B strip (depth x 4).
void multiply_tile(int64_t depth, const double* a, const double* b, double* tile) {
  Pair c00{}, c01{}, c10{}, c11{}, c20{}, c21{}, c30{}, c31{};
  for (int64_t p = 0; p < depth; ++p, a += kTile, b += kTile) {
    const Pair b0 = load(b), b1 = load(b + 2);
    const Pair a0{a[0], a[0]}, a1{a[1], a[1]}, a2{a[2], a[2]}, a3{a[3], a[3]};
    c00 += a0 * b0, c01 += a0 * b1;
    c10 += a1 * b0, c11 += a1 * b1;
    c20 += a2 * b0, c21 += a2 * b1;
    c30 += a3 * b0, c31 += a3 * b1;
  }
  const Pair rows[8] = {c00, c01, c10, c11, c20, c21, c30, c31};
  for (int i = 0; i < 8; ++i) tile[2 * i] = rows[i][0], tile[2 * i + 1] = rows[i][1];
}

// Copies `count` lines of length `depth` into strips of four lines side by side, zero-filled.
// Line l, position p is data[l * line + p * step].
void pack(
    const double* data, int64_t line, int64_t step, int64_t count, int64_t depth, double* out) {
  for (int64_t l = 0; l < count; l += kTile, out += kTile * depth) {
    const int64_t width = std::min(kTile, count - l);
    const double* from = data + l * line;
    if (width < kTile) std::fill(out, out + kTile * depth, 0.0);
    if (step == 1) {
      for (int64_t w = 0; w < width; ++w)
        for (int64_t p = 0; p < depth; ++p) out[p * kTile + w] = from[w * line + p];
    } else {
      for (int64_t p = 0; p < depth; ++p)
        for (int64_t w = 0; w < width; ++w) out[p * kTile + w] = from[w * line + p * step];
    }
  }
}

int64_t round_up(int64_t value) { return (value + kTile - 1) / kTile * kTile; }

}  // namespace

void add_product(
    int64_t m, int64_t n, int64_t k, Matrix<double> a, Matrix<double> b, double* c, int64_t ldc) {
  if (m <= 0 || n <= 0 || k <= 0) return;
  if (m == 1 &&
      b.column == 1) {  // a row times a matrix reads B once: packing would double the work
    for (int64_t p = 0; p < k; ++p) {
      const double factor = a.data[p * a.column];
      const double* row = b.data + p * b.row;
      for (int64_t j = 0; j < n; ++j) c[j] += factor * row[j];
    }
    return;
  }
  const int64_t depth_max = std::min(kDepth, k);
  std::vector<double> packed_a(static_cast<size_t>(round_up(std::min(kRows, m)) * depth_max));
  std::vector<double> packed_b(static_cast<size_t>(round_up(std::min(kColumns, n)) * depth_max));
  for (int64_t j0 = 0; j0 < n; j0 += kColumns) {
    const int64_t columns = std::min(kColumns, n - j0);
    for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
      const int64_t depth = std::min(kDepth, k - p0);
      pack(b.at(p0, j0).data, b.column, b.row, columns, depth, packed_b.data());
      for (int64_t i0 = 0; i0 < m; i0 += kRows) {
        const int64_t rows = std::min(kRows, m - i0);
        pack(a.at(i0, p0).data, a.row, a.column, rows, depth, packed_a.data());
        for (int64_t j = 0; j < columns; j += kTile) {
          for (int64_t i = 0; i < rows; i += kTile) {
            double tile[kTile * kTile];
            multiply_tile(depth, packed_a.data() + i * depth, packed_b.data() + j * depth, tile);
            const int64_t height = std::min(kTile, rows - i), width = std::min(kTile, columns - j);
            double* out = c + (i0 + i) * ldc + j0 + j;
            for (int64_t y = 0; y < height; ++y)
              for (int64_t x = 0; x < width; ++x) out[y * ldc + x] += tile[y * kTile + x];
          }
        }
      }
    }
  }
}

void add_product(int64_t m,
                 int64_t n,
                 int64_t k,
                 Matrix<uint64_t> a,
                 Matrix<uint64_t> b,
                 uint64_t* c,
                 int64_t ldc) {
  if (m <= 0 || n <= 0 || k <= 0) return;  // the data of an empty matrix may be null
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t p = 0; p < k; ++p) {
      const uint64_t factor = *a.at(i, p).data;
      const Matrix<uint64_t> row = b.at(p, 0);
      for (int64_t j = 0; j < n; ++j) c[i * ldc + j] += factor * row.data[j * row.column];
    }
  }
}

}  // namespace planish::reference
