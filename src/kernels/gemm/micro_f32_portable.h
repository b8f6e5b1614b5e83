// The 6 x 16 micro-kernel in plain loops that any compiler can vectorise.
#pragma once

#include <cstdint>

namespace planish::kernels::portable {
namespace {

struct Micro {
  template <int MR, int NP>
  static void tile(int64_t kc,
                   const float* a,
                   const float* b,
                   int64_t b_panel,
                   float* c,
                   int64_t c_row,
                   bool accumulate) {
    for (int q = 0; q < NP; ++q, b += b_panel, c += 16) {
      float acc[MR][16];
      for (int i = 0; i < MR; ++i) {
        for (int j = 0; j < 16; ++j) acc[i][j] = accumulate ? c[i * c_row + j] : 0.0f;
      }
      for (int64_t p = 0; p < kc; ++p) {
        for (int i = 0; i < MR; ++i) {
          for (int j = 0; j < 16; ++j) acc[i][j] += a[p * 6 + i] * b[p * 16 + j];
        }
      }
      for (int i = 0; i < MR; ++i) {
        for (int j = 0; j < 16; ++j) c[i * c_row + j] = acc[i][j];
      }
    }
  }
};

}  // namespace
}  // namespace planish::kernels::portable
