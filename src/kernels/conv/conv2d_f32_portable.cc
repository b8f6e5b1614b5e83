#define PLANISH_GEMM_NS portable
#include "kernels/conv/conv.h"
#include "kernels/conv/im2col_portable.h"
#include "kernels/gemm/micro_f32_portable.h"

#include "kernels/conv/conv2d_f32-inl.h"

namespace planish::kernels {

ConvVariant variant_conv2d_f32_portable() {
  return {"conv2d_f32_portable", Isa::kPortable, &portable::supports, &portable::workspace_floats,
          &portable::run};
}

}  // namespace planish::kernels
