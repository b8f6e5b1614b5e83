// The 6 x 16 micro-kernel on AVX2 and FMA: 12 accumulators, 2 loads of B and 6 broadcasts of A per
// step of k, which leaves one of the 16 registers for the broadcast. Included by AVX2 files only.
//
// The loops over rows and columns are unrolled by pragma: only then does g++ see that the
// accumulators can live in registers (without it every step stores and reloads them).
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace planish::kernels::avx2 {
namespace {

struct Micro {
  // C[MR x 16 NP] (+)= A[kc][6] B[NP panels][kc][16]. `accumulate`: start from C instead of 0.
  template <int MR, int NP>
  static void tile(int64_t kc,
                   const float* a,
                   const float* b,
                   int64_t b_panel,
                   float* c,
                   int64_t c_row,
                   bool accumulate) {
    constexpr int kVectors = 2 * NP;
    __m256 acc[MR][kVectors];
    if (accumulate) {
#pragma GCC unroll 8
      for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 8
        for (int j = 0; j < kVectors; ++j) acc[i][j] = _mm256_loadu_ps(c + i * c_row + 8 * j);
      }
    } else {
#pragma GCC unroll 8
      for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 8
        for (int j = 0; j < kVectors; ++j) acc[i][j] = _mm256_setzero_ps();
      }
    }
    for (int64_t p = 0; p < kc; ++p) {
      __m256 bv[kVectors];
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) {
        bv[j] = _mm256_loadu_ps(b + (j / 2) * b_panel + p * 16 + 8 * (j % 2));
        // Keeps g++ 12 from folding the load into every multiplication of its column.
        asm("" : "+x"(bv[j]));
      }
#pragma GCC unroll 8
      for (int i = 0; i < MR; ++i) {
        const __m256 av = _mm256_broadcast_ss(a + p * 6 + i);
#pragma GCC unroll 8
        for (int j = 0; j < kVectors; ++j) acc[i][j] = _mm256_fmadd_ps(av, bv[j], acc[i][j]);
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) _mm256_storeu_ps(c + i * c_row + 8 * j, acc[i][j]);
    }
  }
};

}  // namespace
}  // namespace planish::kernels::avx2
