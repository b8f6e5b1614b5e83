// Fills a panel of im2col, in plain loops.
#pragma once

#include <cstdint>

namespace planish::kernels::portable {
namespace {

// Where the 16 output pixels of a panel look at tap (0, 0); lanes past the end look nowhere.
struct Lanes {
  int64_t ih[16], iw[16];
};

// dst[kc][16] = rows k0 .. k0+kc of X' for the panel's pixels; x is the group's first channel.
inline void fill_panel(
    const ConvProblem& p, const float* x, const Lanes& lanes, int64_t k0, int64_t kc, float* dst) {
  const int64_t taps = p.kh * p.kw;
  for (int64_t k = 0; k < kc; ++k, dst += 16) {
    const int64_t c = (k0 + k) / taps, tap = (k0 + k) % taps;
    const int64_t dy = tap / p.kw * p.dh, dx = tap % p.kw * p.dw;
    const float* plane = x + c * p.ih * p.iw;
    for (int j = 0; j < 16; ++j) {
      const int64_t y = lanes.ih[j] + dy, z = lanes.iw[j] + dx;
      dst[j] = y >= 0 && y < p.ih && z >= 0 && z < p.iw ? plane[y * p.iw + z] : 0.0f;
    }
  }
}

}  // namespace
}  // namespace planish::kernels::portable
