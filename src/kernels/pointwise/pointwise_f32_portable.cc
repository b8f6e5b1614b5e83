#include "kernels/pointwise/pointwise_f32-inl.h"

namespace planish::kernels {

PointwiseVariant variant_pointwise_f32_portable() {
  return PLANISH_SIMD::make_variant("pointwise_f32_portable");
}

}  // namespace planish::kernels
