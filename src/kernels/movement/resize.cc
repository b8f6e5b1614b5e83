#include "kernels/movement/movement.h"

namespace planish::kernels {

Status resize_f32(const ResizeArgs* args, int worker, int workers) {
  const ResizeArgs& a = *args;
  const auto [begin, end] = share(a.planes * a.oh, 1, worker, workers);
  for (int64_t u = begin; u < end; ++u) {
    const int64_t r = u % a.oh;
    const float* plane = a.x + u / a.oh * a.ih * a.iw;
    const float* top = plane + a.y0[r] * a.iw;
    float* y = a.y + u * a.ow;
    if (!a.linear) {
      for (int64_t c = 0; c < a.ow; ++c) y[c] = top[a.x0[c]];
      continue;
    }
    const float* bottom = plane + a.y1[r] * a.iw;
    const float wy = a.yw[r];
    for (int64_t c = 0; c < a.ow; ++c) {
      const float wx = a.xw[c];
      const float upper = top[a.x0[c]] * (1 - wx) + top[a.x1[c]] * wx;
      const float lower = bottom[a.x0[c]] * (1 - wx) + bottom[a.x1[c]] * wx;
      y[c] = upper * (1 - wy) + lower * wy;
    }
  }
  return Status::kOk;
}

}  // namespace planish::kernels
