#include "kernels/norm/norm_f32-inl.h"

namespace planish::kernels {

NormVariant variant_norm_f32_avx2() { return PLANISH_SIMD::make_variant("norm_f32_avx2"); }

}  // namespace planish::kernels
