// The loops around the micro-kernel (K. Goto and R. van de Geijn, "Anatomy of high-performance
// matrix multiplication", 2008): columns in blocks, k in blocks of at most 384 so that a panel of A
// (9 KiB) stays in L1, rows in blocks of 144 so that the packed block of A (216 KiB) stays in L2.
#pragma once

#include "kernels/gemm/gemm.h"
#include "kernels/gemm/tiles-inl.h"

namespace planish::kernels::PLANISH_GEMM_NS {
namespace {

constexpr int64_t kRowBlock = 144;
constexpr int64_t kColumnBlock = 256;         // of B packed on the fly: 384 KiB
constexpr int64_t kPackedColumnBlock = 1024;  // of constant B: A is packed again for each block

inline int64_t round16(int64_t n) { return ceil_div(n, 16) * 16; }

inline int64_t workspace_a(const GemmProblem& p) {
  return round16(ceil_div(least(p.m, kRowBlock), 6) * 6 * k_block(p.k));
}

int64_t workspace_floats(const GemmProblem& p) {
  const int64_t b = p.packed_b ? 0 : round16(least(p.n, kColumnBlock)) * k_block(p.k);
  return workspace_a(p) + b;
}

// rows x kc of A into panels [kc][6].
inline void pack_rows(
    int64_t rows, int64_t kc, const float* a, int64_t a_row, int64_t a_column, float* to) {
  for (int64_t i0 = 0; i0 < rows; i0 += 6, to += 6 * kc) {
    const int64_t height = least(6, rows - i0);
    const float* from = a + i0 * a_row;
    if (height == 6) {
      for (int64_t p = 0; p < kc; ++p) {
        for (int64_t i = 0; i < 6; ++i) to[p * 6 + i] = from[i * a_row + p * a_column];
      }
    } else {
      for (int64_t p = 0; p < kc; ++p) {
        for (int64_t i = 0; i < 6; ++i)
          to[p * 6 + i] = i < height ? from[i * a_row + p * a_column] : 0.0f;
      }
    }
  }
}

// kc x columns of B into panels [kc][16].
inline void pack_columns(
    int64_t columns, int64_t kc, const float* b, int64_t b_row, int64_t b_column, float* to) {
  for (int64_t j0 = 0; j0 < columns; j0 += 16, to += 16 * kc) {
    const int64_t width = least(16, columns - j0);
    const float* from = b + j0 * b_column;
    if (width == 16 && b_column == 1) {
      for (int64_t p = 0; p < kc; ++p) {
        for (int64_t j = 0; j < 16; ++j) to[p * 16 + j] = from[p * b_row + j];
      }
    } else if (width == 16) {
      // Transposed B: each column is contiguous, so walk along it.
      for (int64_t j = 0; j < 16; ++j) {
        for (int64_t p = 0; p < kc; ++p) to[p * 16 + j] = from[p * b_row + j * b_column];
      }
    } else {
      for (int64_t p = 0; p < kc; ++p) {
        for (int64_t j = 0; j < 16; ++j)
          to[p * 16 + j] = j < width ? from[p * b_row + j * b_column] : 0.0f;
      }
    }
  }
}

// One batch, rows [m0, m1), columns [n0, n1) where n0 is a multiple of 16.
void block(const GemmArgs& g,
           int64_t batch,
           int64_t m0,
           int64_t m1,
           int64_t n0,
           int64_t n1,
           float* workspace) {
  const GemmProblem& p = g.problem;
  const float* a = g.a + (g.a_offsets != nullptr ? g.a_offsets[batch] : 0);
  const float* b = g.b + (g.b_offsets != nullptr ? g.b_offsets[batch] : 0);
  float* c = g.c + batch * g.c_batch;
  float* packed_a = workspace;
  float* packed_b = workspace + workspace_a(p);
  const int64_t kc_most = k_block(p.k);
  const int64_t column_block = p.packed_b ? kPackedColumnBlock : kColumnBlock;
  for (int64_t j = n0; j < n1; j += column_block) {
    const int64_t columns = least(column_block, n1 - j);
    int64_t k0 = 0;
    do {  // once at least: k may be 0
      const int64_t kc = least(kc_most, p.k - k0);
      const float* panels;
      int64_t panel;
      if (p.packed_b) {
        panels = b + j * p.k + k0 * 16;
        panel = p.k * 16;
      } else {
        pack_columns(columns, kc, b + k0 * g.b_row + j * g.b_column, g.b_row, g.b_column, packed_b);
        panels = packed_b;
        panel = kc * 16;
      }
      const bool last = k0 + kc >= p.k;
      for (int64_t i = m0; i < m1; i += kRowBlock) {
        const int64_t rows = least(kRowBlock, m1 - i);
        pack_rows(rows, kc, a + i * g.a_row + k0 * g.a_column, g.a_row, g.a_column, packed_a);
        // A panel of B (24 KiB) against all panels of A: few rows take the panels of B in groups.
        const int64_t group = rows <= 3 ? columns : 16;
        for (int64_t q = 0; q < columns; q += group) {
          const int64_t width = least(group, columns - q);
          for (int64_t r = 0; r < rows; r += 6) {
            row_panel(least(6, rows - r), width, kc, packed_a + r * kc, panels + q / 16 * panel,
                      panel, c + (i + r) * g.c_row + j + q, g.c_row, k0 > 0);
          }
        }
        if (last && g.epilogue.count > 0) {
          for (int64_t r = 0; r < rows; ++r) {
            g.epilogue.functions->epilogue(g.epilogue, batch, i + r, j, c + (i + r) * g.c_row + j,
                                           columns);
          }
        }
      }
      k0 += kc;
    } while (k0 < p.k);
  }
}

Status run(const GemmArgs* args, int worker, int workers) {
  const GemmProblem& p = args->problem;
  if (p.m == 0 || p.n == 0 || p.batch == 0) return Status::kOk;
  float* workspace = args->workspace + worker * workspace_floats(p);
  const int64_t row_panels = ceil_div(p.m, 6), column_panels = ceil_div(p.n, 16);
  // Panels that the busiest worker gets when rows or columns are split. Columns win a near tie when
  // B is constant and rows are few: each worker then reads only its own part of the weights.
  const int64_t by_rows = ceil_div(row_panels * p.batch, workers) * column_panels;
  const int64_t by_columns = row_panels * p.batch * ceil_div(column_panels, workers);
  const bool columns =
      p.packed_b && p.m <= 256 ? by_columns * 10 <= by_rows * 11 : by_columns * 11 < by_rows * 10;
  if (columns) {
    const Range range = share(p.n, 16, worker, workers);
    if (range.begin == range.end) return Status::kOk;
    for (int64_t b = 0; b < p.batch; ++b)
      block(*args, b, 0, p.m, range.begin, range.end, workspace);
    return Status::kOk;
  }
  const Range range = share(row_panels * p.batch, 1, worker, workers);
  for (int64_t u = range.begin; u < range.end;) {
    const int64_t b = u / row_panels, first = u % row_panels;
    const int64_t count = least(row_panels - first, range.end - u);
    block(*args, b, first * 6, least(p.m, (first + count) * 6), 0, p.n, workspace);
    u += count;
  }
  return Status::kOk;
}

const char* supports(const GemmProblem&) { return nullptr; }

}  // namespace
}  // namespace planish::kernels::PLANISH_GEMM_NS
