#pragma once

#include "kernels/depthwise/depthwise.h"
#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace planish::kernels::PLANISH_SIMD {
namespace {

using D = hn::ScalableTag<float>;

// Output rows that share one copy of their input rows.
constexpr int64_t kBand = 8;

inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// The copied band: `rows` rows of sw phases of `phase` floats each. The last vector of an output
// row may read past its last column, hence the extra vector (64 bytes at most).
struct Band {
  int64_t rows, phase;
};
inline Band band_of(const ConvProblem& p) {
  const int64_t columns = (p.ow - 1) * p.sw + (p.kw - 1) * p.dw + 1;
  const int64_t rows = (least(kBand, p.oh) - 1) * p.sh + (p.kh - 1) * p.dh + 1;
  return {rows, (columns + p.sw - 1) / p.sw + 16};
}

int64_t workspace_floats(const ConvProblem& p) {
  if (p.oh <= 0 || p.ow <= 0) return 16;
  const Band band = band_of(p);
  return (band.rows * p.sw * band.phase + 15) / 16 * 16;
}

// Input rows for output rows [y0, y0 + count) of one plane.
void copy_band(const ConvProblem& p, const float* plane, int64_t y0, int64_t count, float* to) {
  const Band band = band_of(p);
  const int64_t rows = (count - 1) * p.sh + (p.kh - 1) * p.dh + 1;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t ih = y0 * p.sh - p.pad_top + r;
    for (int64_t s = 0; s < p.sw; ++s, to += band.phase) {
      if (ih < 0 || ih >= p.ih) {
        for (int64_t i = 0; i < band.phase; ++i) to[i] = 0;
        continue;
      }
      // Place i holds input column i * sw + s - pad_left.
      const float* row = plane + ih * p.iw;
      const int64_t shift = s - p.pad_left;
      int64_t first = shift >= 0 ? 0 : (-shift + p.sw - 1) / p.sw;
      int64_t last = p.iw - shift <= 0 ? 0 : (p.iw - shift + p.sw - 1) / p.sw;
      first = least(first, band.phase);
      last = least(last, band.phase);
      if (last < first) last = first;
      for (int64_t i = 0; i < first; ++i) to[i] = 0;
      if (p.sw == 1) {
        for (int64_t i = first; i < last; ++i) to[i] = row[i + shift];
      } else {
        for (int64_t i = first; i < last; ++i) to[i] = row[i * p.sw + shift];
      }
      for (int64_t i = last; i < band.phase; ++i) to[i] = 0;
    }
  }
}

// kVectors vectors of one output row; `from` is the band's row for tap row 0.
template <int kVectors>
HWY_INLINE void row_chunk(const ConvProblem& p,
                          const Band& band,
                          const float* from,
                          const float* w,
                          float* y,
                          int64_t columns) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<D> acc[kVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) acc[v] = hn::Zero(d);
  for (int64_t i = 0; i < p.kh; ++i) {
    const float* row = from + i * p.dh * p.sw * band.phase;
    for (int64_t j = 0; j < p.kw; ++j) {
      const int64_t at = j * p.dw;
      const float* src = row + (p.sw == 1 ? at : at % p.sw * band.phase + at / p.sw);
      const hn::Vec<D> weight = hn::Set(d, w[i * p.kw + j]);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v)
        acc[v] = hn::MulAdd(weight, hn::LoadU(d, src + v * lanes), acc[v]);
    }
  }
  if (columns == kVectors * lanes) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) hn::StoreU(acc[v], d, y + v * lanes);
  } else {
    HWY_ALIGN float buffer[kVectors * hn::MaxLanes(D())];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) hn::Store(acc[v], d, buffer + v * lanes);
    for (int64_t c = 0; c < columns; ++c) y[c] = buffer[c];
  }
}

void output_row(
    const ConvProblem& p, const Band& band, const float* from, const float* w, float* y) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t c = 0;
  for (; c + 4 * lanes <= p.ow; c += 4 * lanes)
    row_chunk<4>(p, band, from + c, w, y + c, 4 * lanes);
  for (; c + 2 * lanes <= p.ow; c += 2 * lanes)
    row_chunk<2>(p, band, from + c, w, y + c, 2 * lanes);
  for (; c < p.ow; c += lanes) row_chunk<1>(p, band, from + c, w, y + c, least(lanes, p.ow - c));
}

Status run(const ConvArgs* args, int worker, int workers) {
  const ConvProblem& p = args->problem;
  const int64_t pixels = p.oh * p.ow;
  if (pixels == 0 || p.n == 0 || p.oc == 0) return Status::kOk;
  const Band band = band_of(p);
  float* copy = args->workspace + worker * workspace_floats(p);
  const int64_t bands = (p.oh + kBand - 1) / kBand, multiplier = p.group_oc();
  const Range range = share(p.n * p.ic * bands, 1, worker, workers);
  for (int64_t u = range.begin; u < range.end; ++u) {
    const int64_t plane = u / bands, y0 = u % bands * kBand, count = least(kBand, p.oh - y0);
    const int64_t n = plane / p.ic, c = plane % p.ic;
    copy_band(p, args->x + plane * p.ih * p.iw, y0, count, copy);
    for (int64_t o = c * multiplier; o < (c + 1) * multiplier; ++o) {
      float* y = args->y + (n * p.oc + o) * pixels + y0 * p.ow;
      for (int64_t r = 0; r < count; ++r) {
        output_row(p, band, copy + r * p.sh * p.sw * band.phase, args->weights + o * p.kh * p.kw,
                   y + r * p.ow);
      }
      if (args->epilogue.count > 0) {
        args->epilogue.functions->epilogue(args->epilogue, n, o, y0 * p.ow, y, count * p.ow);
      }
    }
  }
  return Status::kOk;
}

const char* supports(const ConvProblem& p) {
  if (p.groups != p.ic) return "more than one input channel per group";
  constexpr int64_t kFar = int64_t{1} << 24;
  if (p.kh * p.dh >= kFar || p.kw * p.dw >= kFar || p.sw >= kFar || p.sh >= kFar) {
    return "a window or stride of 2^24 or more";
  }
  return nullptr;
}

DepthwiseVariant make_variant(const char* name) {
  return {name, PLANISH_SIMD_ISA, &supports, &workspace_floats, &run};
}

}  // namespace
}  // namespace planish::kernels::PLANISH_SIMD
HWY_AFTER_NAMESPACE();
