#include "kernels/softmax/softmax_f32-inl.h"

namespace planish::kernels {

SoftmaxVariant variant_softmax_f32_portable() {
  return PLANISH_SIMD::make_variant("softmax_f32_portable");
}

}  // namespace planish::kernels
