// The loops of the convolution around the micro-kernel: a block of pixels is packed for a block of
// K, then every panel of weights runs over it. The packed block (at most 192 Ki floats of 4 bytes,
// half of a small L2 at the usual sizes) is used by all output channels; the weights stream.
#pragma once

#include "kernels/conv/conv.h"
#include "kernels/gemm/tiles-inl.h"

namespace planish::kernels::PLANISH_GEMM_NS {
namespace {

// Pixels of a block: about 192 KiB of packed panels, 512 pixels at most.
inline int64_t pixel_block(int64_t k) {
  const int64_t fit = 49152 / (k > 0 ? k_block(k) : 1) / 16 * 16;
  return fit < 64 ? 64 : least(fit, 512);
}

int64_t workspace_floats(int64_t k) { return pixel_block(k) * k_block(k); }

// Position of pixel q's window in the input.
inline void set_lanes(const ConvProblem& p, int64_t q, Lanes& lanes) {
  int64_t y = q / p.ow, z = q % p.ow;
  for (int j = 0; j < 16; ++j) {
    if (y >= p.oh) {
      // Past the end. A quarter of the range of int32, so that adding a tap cannot overflow.
      lanes.ih[j] = -(1 << 29);
      lanes.iw[j] = -(1 << 29);
      continue;
    }
    lanes.ih[j] = y * p.sh - p.pad_top;
    lanes.iw[j] = z * p.sw - p.pad_left;
    if (++z == p.ow) {
      z = 0;
      ++y;
    }
  }
}

// Pixels [q0, q1) of image n, group g and output channels [o0, o1) of that group (o0 divisible by
// 6).
void block(const ConvArgs& a,
           int64_t n,
           int64_t g,
           int64_t q0,
           int64_t q1,
           int64_t o0,
           int64_t o1,
           float* packed) {
  const ConvProblem& p = a.problem;
  const int64_t k = p.k(), kc_most = k_block(k), pixels = p.oh * p.ow;
  const float* x = a.x + (n * p.ic + g * p.group_ic()) * p.ih * p.iw;
  const float* w = a.weights + g * ceil_div(p.group_oc(), 6) * 6 * k;
  float* y = a.y + (n * p.oc + g * p.group_oc()) * pixels;
  const bool plain = p.kh == 1 && p.kw == 1 && p.sh == 1 && p.sw == 1 && p.pad_top == 0 &&
                     p.pad_left == 0 && p.ih == p.oh && p.iw == p.ow;
  const int64_t step = pixel_block(k);
  for (int64_t q = q0; q < q1; q += step) {
    const int64_t count = least(step, q1 - q);
    int64_t k0 = 0;
    do {  // once at least: k may be 0
      const int64_t kc = least(kc_most, k - k0);
      for (int64_t j = 0; j < count; j += 16) {
        float* to = packed + j * kc;
        if (plain && q + j + 16 <= pixels) {
          const float* from = x + k0 * pixels + q + j;
          for (int64_t i = 0; i < kc; ++i) {
            for (int64_t l = 0; l < 16; ++l) to[i * 16 + l] = from[i * pixels + l];
          }
        } else {
          Lanes lanes;
          set_lanes(p, q + j, lanes);
          fill_panel(p, x, lanes, k0, kc, to);
        }
      }
      const bool last = k0 + kc >= k;
      for (int64_t o = o0; o < o1; o += 6) {
        const int64_t rows = least(6, o1 - o);
        row_panel(rows, count, kc, w + o * k + k0 * 6, packed, kc * 16, y + o * pixels + q, pixels,
                  k0 > 0);
        if (last && a.epilogue.count > 0) {
          for (int64_t r = 0; r < rows; ++r) {
            a.epilogue.functions->epilogue(a.epilogue, n, g * p.group_oc() + o + r, q,
                                           y + (o + r) * pixels + q, count);
          }
        }
      }
      k0 += kc;
    } while (k0 < k);
  }
}

Status run(const ConvArgs* args, int worker, int workers) {
  const ConvProblem& p = args->problem;
  const int64_t pixels = p.oh * p.ow, group_oc = p.oc / p.groups;
  if (pixels == 0 || p.n == 0 || group_oc == 0) return Status::kOk;
  float* packed = args->workspace + worker * workspace_floats(p.k());
  const int64_t pixel_panels = ceil_div(pixels, 16), row_panels = ceil_div(group_oc, 6);
  const int64_t planes = p.n * p.groups;
  // Split output channels when the weights are the larger operand (each worker then reads only its
  // own) or pixels do not divide well; else split pixels, images and groups.
  const int64_t by_pixels = ceil_div(planes * pixel_panels, workers) * row_panels;
  const int64_t by_channels = planes * pixel_panels * ceil_div(row_panels, workers);
  const bool channels = group_oc > p.n * pixels ? by_channels * 10 <= by_pixels * 11
                                                : by_channels * 12 < by_pixels * 10;
  if (channels) {
    const Range range = share(group_oc, 6, worker, workers);
    if (range.begin == range.end) return Status::kOk;
    for (int64_t u = 0; u < planes; ++u) {
      block(*args, u / p.groups, u % p.groups, 0, pixels, range.begin, range.end, packed);
    }
    return Status::kOk;
  }
  const Range range = share(planes * pixel_panels, 1, worker, workers);
  for (int64_t u = range.begin; u < range.end;) {
    const int64_t plane = u / pixel_panels, first = u % pixel_panels;
    const int64_t count = least(pixel_panels - first, range.end - u);
    block(*args, plane / p.groups, plane % p.groups, first * 16,
          least(pixels, (first + count) * 16), 0, group_oc, packed);
    u += count;
  }
  return Status::kOk;
}

// Positions and taps are counted in 32 bits inside a panel.
const char* supports(const ConvProblem& p) {
  constexpr int64_t kFar = int64_t{1} << 28;
  if (p.ih * p.iw >= (int64_t{1} << 31)) return "an input plane of 2^31 elements or more";
  if (p.kh * p.dh >= kFar || p.kw * p.dw >= kFar || p.oh * p.sh >= kFar || p.ow * p.sw >= kFar ||
      p.pad_top >= kFar || p.pad_left >= kFar) {
    return "a window, stride or padding of 2^28 or more";
  }
  return nullptr;
}

}  // namespace
}  // namespace planish::kernels::PLANISH_GEMM_NS
