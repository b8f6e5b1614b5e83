#include "kernels/pool/pool_f32-inl.h"

namespace planish::kernels {

PoolVariant variant_pool_f32_portable() { return PLANISH_SIMD::make_variant("pool_f32_portable"); }

}  // namespace planish::kernels
