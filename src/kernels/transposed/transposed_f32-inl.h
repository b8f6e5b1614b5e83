#pragma once

#include "kernels/gemm/tiles-inl.h"
#include "kernels/transposed/transposed.h"

namespace planish::kernels::PLANISH_GEMM_NS {
namespace {

// Pixels of a block: about 256 KiB of packed input, at least one panel.
inline int64_t transposed_block(int64_t k) {
  const int64_t fit = 65536 / (k > 0 ? k : 1) / 16 * 16;
  return fit < 16 ? 16 : least(fit, 256);
}

int64_t transposed_workspace(const ConvProblem& p) {
  return transposed_block(p.group_ic()) * (p.group_ic() + 6);
}

// Adds one row of the product, for tap (dy, dx) of a channel, to its plane of the output.
inline void add_row(const ConvProblem& p,
                    const float* row,
                    int64_t q0,
                    int64_t count,
                    int64_t dy,
                    int64_t dx,
                    float* plane) {
  int64_t y = q0 / p.iw, z = q0 % p.iw;
  for (int64_t i = 0; i < count;) {
    const int64_t run = least(p.iw - z, count - i);
    const int64_t oy = y * p.sh - p.pad_top + dy * p.dh;
    if (oy >= 0 && oy < p.oh) {
      float* to = plane + oy * p.ow;
      int64_t ox = z * p.sw - p.pad_left + dx * p.dw;
      for (int64_t j = 0; j < run; ++j, ox += p.sw) {
        if (ox >= 0 && ox < p.ow) to[ox] += row[i + j];
      }
    }
    i += run;
    z = 0;
    ++y;
  }
}

// Output channels [c0, c1) of image n, group g.
void transposed_channels(
    const ConvArgs& a, int64_t n, int64_t g, int64_t c0, int64_t c1, float* packed) {
  const ConvProblem& p = a.problem;
  const int64_t k = p.group_ic(), taps = p.kh * p.kw, pixels = p.ih * p.iw, plane = p.oh * p.ow;
  const float* x = a.x + (n * p.ic + g * k) * pixels;
  const float* w = a.weights + g * ceil_div(p.group_oc() * taps, 6) * 6 * k;
  float* y = a.y + (n * p.oc + g * p.group_oc()) * plane;
  for (int64_t i = c0 * plane; i < c1 * plane; ++i) y[i] = 0;
  const int64_t step = transposed_block(k), kc_most = k_block(k);
  float* product = packed + step * k;
  const int64_t r0 = c0 * taps, r1 = c1 * taps;
  for (int64_t q = 0; k > 0 && q < pixels; q += step) {
    const int64_t count = least(step, pixels - q);
    for (int64_t j = 0; j < count; j += 16) {
      const int64_t width = least(16, count - j);
      float* to = packed + j * k;
      for (int64_t i = 0; i < k; ++i) {
        const float* from = x + i * pixels + q + j;
        for (int64_t l = 0; l < 16; ++l) to[i * 16 + l] = l < width ? from[l] : 0.0f;
      }
    }
    // The first and the last panel of rows may reach into a neighbour's channels.
    for (int64_t r = r0 / 6 * 6; r < r1; r += 6) {
      const int64_t rows = least(6, p.group_oc() * taps - r);
      for (int64_t k0 = 0; k0 < k; k0 += kc_most) {
        row_panel(rows, count, least(kc_most, k - k0), w + r * k + k0 * 6, packed + k0 * 16, k * 16,
                  product, step, k0 > 0);
      }
      for (int64_t i = 0; i < rows; ++i) {
        if (r + i < r0 || r + i >= r1) continue;
        const int64_t c = (r + i) / taps, tap = (r + i) % taps;
        add_row(p, product + i * step, q, count, tap / p.kw, tap % p.kw, y + c * plane);
      }
    }
  }
  if (a.epilogue.count > 0) {
    for (int64_t c = c0; c < c1; ++c) {
      a.epilogue.functions->epilogue(a.epilogue, n, g * p.group_oc() + c, 0, y + c * plane, plane);
    }
  }
}

Status transposed_run(const ConvArgs* args, int worker, int workers) {
  const ConvProblem& p = args->problem;
  if (p.oh * p.ow == 0 || p.n == 0 || p.oc == 0) return Status::kOk;
  float* packed = args->workspace + worker * transposed_workspace(p);
  const Range range = share(p.n * p.oc, 1, worker, workers);
  for (int64_t u = range.begin; u < range.end;) {
    // A run of channels within one group of one image.
    const int64_t plane = u / p.group_oc(), first = u % p.group_oc();
    const int64_t count = least(p.group_oc() - first, range.end - u);
    transposed_channels(*args, plane / p.groups, plane % p.groups, first, first + count, packed);
    u += count;
  }
  return Status::kOk;
}

const char* transposed_supports(const ConvProblem&) { return nullptr; }

}  // namespace
}  // namespace planish::kernels::PLANISH_GEMM_NS
