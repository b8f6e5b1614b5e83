// Fills a panel of im2col with AVX2.
//
// Stride 1 along the row: the 16 pixels fall into a few runs inside a row; each run is one masked
// load per vector (the mask drops what lies in the padding or in another run), joined by OR.
// Other strides: a masked gather.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace planish::kernels::avx2 {
namespace {

struct Lanes {
  int64_t ih[16], iw[16];
};

// Pixels of one vector that lie in one output row: lanes [first, last).
struct Run {
  int32_t first, last;
  int64_t ih, iw;  // input position of lane 0 (which may lie outside the run) at tap (0, 0)
};

inline __m256i lane_mask(__m256i index, int64_t first, int64_t last) {
  const auto lo = static_cast<int32_t>(first), hi = static_cast<int32_t>(last);
  return _mm256_and_si256(_mm256_cmpgt_epi32(index, _mm256_set1_epi32(lo - 1)),
                          _mm256_cmpgt_epi32(_mm256_set1_epi32(hi), index));
}

inline void fill_unit_stride(
    const ConvProblem& p, const float* x, const Lanes& lanes, int64_t k0, int64_t kc, float* dst) {
  Run runs[2][8];
  int count[2] = {0, 0};
  for (int v = 0; v < 2; ++v) {
    for (int j = 0; j < 8; ++j) {
      const int64_t y = lanes.ih[8 * v + j], z = lanes.iw[8 * v + j] - j;
      if (count[v] > 0 && runs[v][count[v] - 1].ih == y && runs[v][count[v] - 1].iw == z) {
        runs[v][count[v] - 1].last = j + 1;
      } else {
        runs[v][count[v]++] = {j, j + 1, y, z};
      }
    }
  }
  const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const int64_t plane_size = p.ih * p.iw;
  int64_t c = k0 / (p.kh * p.kw), dy = k0 / p.kw % p.kh, dx = k0 % p.kw;
  const float* plane = x + c * plane_size;
  for (int64_t k = 0; k < kc; ++k, dst += 16) {
    for (int v = 0; v < 2; ++v) {
      __m256 sum = _mm256_setzero_ps();
      for (int r = 0; r < count[v]; ++r) {
        const Run& run = runs[v][r];
        const int64_t y = run.ih + dy * p.dh, z = run.iw + dx * p.dw;
        if (y < 0 || y >= p.ih) continue;
        const int64_t first = run.first > -z ? run.first : -z;
        const int64_t last = run.last < p.iw - z ? run.last : p.iw - z;
        if (first >= last) continue;
        const float* from = plane + y * p.iw + z;
        if (first == 0 && last == 8) {
          sum = _mm256_loadu_ps(from);
        } else {
          sum = _mm256_or_ps(sum, _mm256_maskload_ps(from, lane_mask(index, first, last)));
        }
      }
      _mm256_storeu_ps(dst + 8 * v, sum);
    }
    if (++dx == p.kw) {
      dx = 0;
      if (++dy == p.kh) {
        dy = 0;
        plane += plane_size;
      }
    }
  }
}

inline void fill_gather(
    const ConvProblem& p, const float* x, const Lanes& lanes, int64_t k0, int64_t kc, float* dst) {
  alignas(32) int32_t ih[16], iw[16];
  for (int j = 0; j < 16; ++j) {
    ih[j] = static_cast<int32_t>(lanes.ih[j]);
    iw[j] = static_cast<int32_t>(lanes.iw[j]);
  }
  const __m256i height = _mm256_set1_epi32(static_cast<int32_t>(p.ih));
  const __m256i width = _mm256_set1_epi32(static_cast<int32_t>(p.iw));
  const __m256i minus_one = _mm256_set1_epi32(-1);
  const int64_t plane_size = p.ih * p.iw;
  int64_t c = k0 / (p.kh * p.kw), dy = k0 / p.kw % p.kh, dx = k0 % p.kw;
  const float* plane = x + c * plane_size;
  for (int64_t k = 0; k < kc; ++k, dst += 16) {
    for (int v = 0; v < 2; ++v) {
      const __m256i y =
          _mm256_add_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(ih + 8 * v)),
                           _mm256_set1_epi32(static_cast<int32_t>(dy * p.dh)));
      const __m256i z =
          _mm256_add_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(iw + 8 * v)),
                           _mm256_set1_epi32(static_cast<int32_t>(dx * p.dw)));
      const __m256i inside = _mm256_and_si256(
          _mm256_and_si256(_mm256_cmpgt_epi32(y, minus_one), _mm256_cmpgt_epi32(height, y)),
          _mm256_and_si256(_mm256_cmpgt_epi32(z, minus_one), _mm256_cmpgt_epi32(width, z)));
      const __m256i offset = _mm256_add_epi32(_mm256_mullo_epi32(y, width), z);
      const __m256 got = _mm256_mask_i32gather_ps(_mm256_setzero_ps(), plane, offset,
                                                  _mm256_castsi256_ps(inside), 4);
      _mm256_storeu_ps(dst + 8 * v, got);
    }
    if (++dx == p.kw) {
      dx = 0;
      if (++dy == p.kh) {
        dy = 0;
        plane += plane_size;
      }
    }
  }
}

inline void fill_panel(
    const ConvProblem& p, const float* x, const Lanes& lanes, int64_t k0, int64_t kc, float* dst) {
  if (p.sw == 1) {
    fill_unit_stride(p, x, lanes, k0, kc, dst);
  } else {
    fill_gather(p, x, lanes, k0, kc, dst);
  }
}

}  // namespace
}  // namespace planish::kernels::avx2
