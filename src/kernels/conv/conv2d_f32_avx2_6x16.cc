#define PLANISH_GEMM_NS avx2
#include "kernels/conv/conv.h"
#include "kernels/conv/im2col_avx2.h"
#include "kernels/gemm/micro_f32_avx2.h"

#include "kernels/conv/conv2d_f32-inl.h"

namespace planish::kernels {

ConvVariant variant_conv2d_f32_avx2_6x16() {
  return {"conv2d_f32_avx2_6x16", Isa::kAvx2, &avx2::supports, &avx2::workspace_floats, &avx2::run};
}

}  // namespace planish::kernels
