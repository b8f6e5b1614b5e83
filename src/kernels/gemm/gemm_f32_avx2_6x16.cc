#define PLANISH_GEMM_NS avx2
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/micro_f32_avx2.h"

#include "kernels/gemm/gemm_f32-inl.h"

namespace planish::kernels {

GemmVariant variant_gemm_f32_avx2_6x16() {
  return {"gemm_f32_avx2_6x16", Isa::kAvx2, &avx2::supports, &avx2::workspace_floats, &avx2::run};
}

}  // namespace planish::kernels
