#include "kernels/probe/probe_f32-inl.h"

namespace planish::kernels {

ProbeVariant variant_probe_portable() { return PLANISH_SIMD::make_variant("probe_portable"); }

}  // namespace planish::kernels
