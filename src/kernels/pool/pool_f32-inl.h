#pragma once

#include "kernels/pool/pool.h"
#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace planish::kernels::PLANISH_SIMD {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

int64_t workspace_floats(const PoolProblem& p) { return (most(p.iw, 1) + 15) / 16 * 16; }

struct Max {
  static constexpr float kStart = -__builtin_inff();
  static HWY_INLINE V apply(V a, V b) {
    return hn::IfThenElse(hn::Or(hn::Gt(b, a), hn::IsNaN(b)), b, a);
  }
  static HWY_INLINE float scalar(float a, float b) { return b > a || b != b ? b : a; }
};
struct Sum {
  static constexpr float kStart = 0;
  static HWY_INLINE V apply(V a, V b) { return hn::Add(a, b); }
  static HWY_INLINE float scalar(float a, float b) { return a + b; }
};

// to[i] = op(to[i], from[i])
template <class Op>
HWY_INLINE void combine_rows(const float* from, float* to, int64_t n) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(Op::apply(hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i);
  for (; i < n; ++i) to[i] = Op::scalar(to[i], from[i]);
}

// First and one past the last tap of a window at `start` that lies in [0, size).
inline Range taps(int64_t start, int64_t size, int64_t k, int64_t d) {
  const int64_t first = start >= 0 ? 0 : (-start + d - 1) / d;
  const int64_t last = start >= size ? 0 : least(k, (size - start + d - 1) / d);
  return {first, most(first, last)};
}

// Positions of a window within the padded input: [-before, size + after).
inline int64_t padded_count(
    int64_t start, int64_t size, int64_t before, int64_t after, int64_t k, int64_t d) {
  const Range r = taps(start + before, size + before + after, k, d);
  return r.end - r.begin;
}

template <class Op>
void output_row(const PoolProblem& p, const float* plane, int64_t y, float* row, float* out) {
  const int64_t top = y * p.sh - p.pad_top;
  const Range rows = taps(top, p.ih, p.kh, p.dh);
  for (int64_t i = 0; i < p.iw; ++i) row[i] = Op::kStart;
  for (int64_t t = rows.begin; t < rows.end; ++t)
    combine_rows<Op>(plane + (top + t * p.dh) * p.iw, row, p.iw);
  const int64_t height = p.count_include_pad
                             ? padded_count(top, p.ih, p.pad_top, p.pad_bottom, p.kh, p.dh)
                             : rows.end - rows.begin;
  for (int64_t z = 0; z < p.ow; ++z) {
    const int64_t left = z * p.sw - p.pad_left;
    const Range columns = taps(left, p.iw, p.kw, p.dw);
    float value = Op::kStart;
    for (int64_t t = columns.begin; t < columns.end; ++t)
      value = Op::scalar(value, row[left + t * p.dw]);
    if (p.kind == PoolKind::kAverage) {
      const int64_t width = p.count_include_pad
                                ? padded_count(left, p.iw, p.pad_left, p.pad_right, p.kw, p.dw)
                                : columns.end - columns.begin;
      value /= static_cast<float>(height * width);
    }
    out[z] = value;
  }
}

Status run(const PoolArgs* args, int worker, int workers) {
  const PoolProblem& p = args->problem;
  if (p.oh == 0 || p.ow == 0) return Status::kOk;
  float* row = args->workspace + worker * workspace_floats(p);
  const Range range = share(p.planes * p.oh, 1, worker, workers);
  for (int64_t u = range.begin; u < range.end; ++u) {
    const float* plane = args->x + u / p.oh * p.ih * p.iw;
    float* out = args->y + u * p.ow;
    if (p.kind == PoolKind::kMax) {
      output_row<Max>(p, plane, u % p.oh, row, out);
    } else {
      output_row<Sum>(p, plane, u % p.oh, row, out);
    }
  }
  return Status::kOk;
}

const char* supports(const PoolProblem&) { return nullptr; }

PoolVariant make_variant(const char* name) {
  return {name, PLANISH_SIMD_ISA, &supports, &workspace_floats, &run};
}

}  // namespace
}  // namespace planish::kernels::PLANISH_SIMD
HWY_AFTER_NAMESPACE();
