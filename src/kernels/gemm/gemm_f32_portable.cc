#define PLANISH_GEMM_NS portable
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/micro_f32_portable.h"

#include "kernels/gemm/gemm_f32-inl.h"

namespace planish::kernels {

GemmVariant variant_gemm_f32_portable() {
  return {"gemm_f32_portable", Isa::kPortable, &portable::supports, &portable::workspace_floats,
          &portable::run};
}

}  // namespace planish::kernels
