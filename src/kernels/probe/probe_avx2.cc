#include "kernels/probe/probe_f32-inl.h"

namespace planish::kernels {

ProbeVariant variant_probe_avx2() { return PLANISH_SIMD::make_variant("probe_avx2"); }

}  // namespace planish::kernels
