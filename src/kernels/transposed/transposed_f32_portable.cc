#define PLANISH_GEMM_NS portable
#include "kernels/gemm/micro_f32_portable.h"
#include "kernels/transposed/transposed.h"

#include "kernels/transposed/transposed_f32-inl.h"

namespace planish::kernels {

TransposedVariant variant_transposed_f32_portable() {
  return {"transposed_f32_portable", Isa::kPortable, &portable::transposed_supports,
          &portable::transposed_workspace, &portable::transposed_run};
}

}  // namespace planish::kernels
