#include "kernels/softmax/softmax_f32-inl.h"

namespace planish::kernels {

SoftmaxVariant variant_softmax_f32_avx2() { return PLANISH_SIMD::make_variant("softmax_f32_avx2"); }

}  // namespace planish::kernels
