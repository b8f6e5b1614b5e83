#define PLANISH_GEMM_NS avx2
#include "kernels/gemm/micro_f32_avx2.h"
#include "kernels/transposed/transposed.h"

#include "kernels/transposed/transposed_f32-inl.h"

namespace planish::kernels {

TransposedVariant variant_transposed_f32_avx2_6x16() {
  return {"transposed_f32_avx2_6x16", Isa::kAvx2, &avx2::transposed_supports,
          &avx2::transposed_workspace, &avx2::transposed_run};
}

}  // namespace planish::kernels
