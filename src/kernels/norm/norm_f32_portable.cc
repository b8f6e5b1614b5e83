#include "kernels/norm/norm_f32-inl.h"

namespace planish::kernels {

NormVariant variant_norm_f32_portable() { return PLANISH_SIMD::make_variant("norm_f32_portable"); }

}  // namespace planish::kernels
