#include "kernels/pointwise/pointwise_f32-inl.h"

namespace planish::kernels {

PointwiseVariant variant_pointwise_f32_avx2() {
  return PLANISH_SIMD::make_variant("pointwise_f32_avx2");
}

}  // namespace planish::kernels
