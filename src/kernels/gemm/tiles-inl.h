// Runs a micro-kernel over a block of C: chooses the tile for the rows at hand and takes care of
// the last columns. The includer has defined PLANISH_GEMM_NS, the namespace that holds Micro.
#pragma once

#include <cstdint>

namespace planish::kernels::PLANISH_GEMM_NS {
namespace {

inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

template <int NP>
void tile_rows(int64_t rows,
               int64_t kc,
               const float* a,
               const float* b,
               int64_t b_panel,
               float* c,
               int64_t c_row,
               bool accumulate) {
  switch (rows) {
    case 1:
      return Micro::tile<1, NP>(kc, a, b, b_panel, c, c_row, accumulate);
    case 2:
      return Micro::tile<2, NP>(kc, a, b, b_panel, c, c_row, accumulate);
    case 3:
      return Micro::tile<3, NP>(kc, a, b, b_panel, c, c_row, accumulate);
    case 4:
      return Micro::tile<4, 1>(kc, a, b, b_panel, c, c_row, accumulate);
    case 5:
      return Micro::tile<5, 1>(kc, a, b, b_panel, c, c_row, accumulate);
    default:
      return Micro::tile<6, 1>(kc, a, b, b_panel, c, c_row, accumulate);
  }
}

// One panel of which only `columns` < 16 exist in C.
inline void tile_edge(int64_t rows,
                      int64_t columns,
                      int64_t kc,
                      const float* a,
                      const float* b,
                      float* c,
                      int64_t c_row,
                      bool accumulate) {
  alignas(64) float buffer[6 * 16] = {};
  if (accumulate) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) buffer[i * 16 + j] = c[i * c_row + j];
    }
  }
  tile_rows<1>(rows, kc, a, b, 0, buffer, 16, accumulate);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) c[i * c_row + j] = buffer[i * 16 + j];
  }
}

// C[rows x columns] (+)= one panel of A times the panels of B; rows <= 6. Few rows take several
// panels at once: fewer than eight independent accumulators leave the multipliers idle.
inline void row_panel(int64_t rows,
                      int64_t columns,
                      int64_t kc,
                      const float* a,
                      const float* b,
                      int64_t b_panel,
                      float* c,
                      int64_t c_row,
                      bool accumulate) {
  int64_t j = 0;
  if (rows == 1) {
    for (; j + 64 <= columns; j += 64, b += 4 * b_panel) {
      Micro::tile<1, 4>(kc, a, b, b_panel, c + j, c_row, accumulate);
    }
  }
  if (rows <= 3) {
    for (; j + 32 <= columns; j += 32, b += 2 * b_panel) {
      tile_rows<2>(rows, kc, a, b, b_panel, c + j, c_row, accumulate);
    }
  }
  for (; j + 16 <= columns; j += 16, b += b_panel)
    tile_rows<1>(rows, kc, a, b, b_panel, c + j, c_row, accumulate);
  if (j < columns) tile_edge(rows, columns - j, kc, a, b, c + j, c_row, accumulate);
}

// Blocks of k as even as can be: 500 is 250 + 250, not 384 + 116.
inline int64_t k_block(int64_t k) {
  constexpr int64_t kMost = 384;
  return k <= kMost ? k : ceil_div(k, ceil_div(k, kMost));
}

}  // namespace
}  // namespace planish::kernels::PLANISH_GEMM_NS
