#include "kernels/pool/pool_f32-inl.h"

namespace planish::kernels {

PoolVariant variant_pool_f32_avx2() { return PLANISH_SIMD::make_variant("pool_f32_avx2"); }

}  // namespace planish::kernels
