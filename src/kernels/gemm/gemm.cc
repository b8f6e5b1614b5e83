#include "kernels/gemm/gemm.h"

#include <algorithm>

namespace planish::kernels {

#define PLANISH_ENTRY(entry) GemmVariant variant_##entry();
#include "kernels/gemm/catalog.inc"
#undef PLANISH_ENTRY

std::span<const GemmVariant> gemm_variants() {
  static const GemmVariant all[] = {
#define PLANISH_ENTRY(entry) variant_##entry(),
#include "kernels/gemm/catalog.inc"
#undef PLANISH_ENTRY
  };
  return all;
}

const GemmVariant* find_gemm(std::string_view name) { return find_variant(gemm_variants(), name); }

int64_t packed_b_floats(int64_t k, int64_t n) {
  return (n + kPanelColumns - 1) / kPanelColumns * kPanelColumns * k;
}

void pack_b(int64_t k, int64_t n, const float* b, int64_t b_row, int64_t b_column, float* packed) {
  for (int64_t j0 = 0; j0 < n; j0 += kPanelColumns) {
    const int64_t width = std::min(kPanelColumns, n - j0);
    for (int64_t p = 0; p < k; ++p, packed += kPanelColumns) {
      for (int64_t j = 0; j < width; ++j) packed[j] = b[p * b_row + (j0 + j) * b_column];
      for (int64_t j = width; j < kPanelColumns; ++j) packed[j] = 0;
    }
  }
}

void unpack_b(
    int64_t k, int64_t n, const float* packed, float* b, int64_t b_row, int64_t b_column) {
  for (int64_t j = 0; j < n; ++j) {
    const float* panel = packed + j / kPanelColumns * kPanelColumns * k + j % kPanelColumns;
    for (int64_t p = 0; p < k; ++p) b[p * b_row + j * b_column] = panel[p * kPanelColumns];
  }
}

int64_t packed_a_floats(int64_t m, int64_t k) {
  return (m + kPanelRows - 1) / kPanelRows * kPanelRows * k;
}

void pack_a(int64_t m, int64_t k, const float* a, int64_t a_row, int64_t a_column, float* packed) {
  for (int64_t i0 = 0; i0 < m; i0 += kPanelRows) {
    const int64_t height = std::min(kPanelRows, m - i0);
    for (int64_t p = 0; p < k; ++p, packed += kPanelRows) {
      for (int64_t i = 0; i < height; ++i) packed[i] = a[(i0 + i) * a_row + p * a_column];
      for (int64_t i = height; i < kPanelRows; ++i) packed[i] = 0;
    }
  }
}

void unpack_a(
    int64_t m, int64_t k, const float* packed, float* a, int64_t a_row, int64_t a_column) {
  for (int64_t i = 0; i < m; ++i) {
    const float* panel = packed + i / kPanelRows * kPanelRows * k + i % kPanelRows;
    for (int64_t p = 0; p < k; ++p) a[i * a_row + p * a_column] = panel[p * kPanelRows];
  }
}

}  // namespace planish::kernels
