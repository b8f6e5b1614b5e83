#include "kernels/depthwise/depthwise_f32-inl.h"

namespace planish::kernels {

DepthwiseVariant variant_depthwise_f32_avx2() {
  return PLANISH_SIMD::make_variant("depthwise_f32_avx2");
}

}  // namespace planish::kernels
