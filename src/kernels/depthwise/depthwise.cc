#include "kernels/depthwise/depthwise.h"

namespace planish::kernels {

#define PLANISH_ENTRY(entry) DepthwiseVariant variant_##entry();
#include "kernels/depthwise/catalog.inc"
#undef PLANISH_ENTRY

std::span<const DepthwiseVariant> depthwise_variants() {
  static const DepthwiseVariant all[] = {
#define PLANISH_ENTRY(entry) variant_##entry(),
#include "kernels/depthwise/catalog.inc"
#undef PLANISH_ENTRY
  };
  return all;
}

const DepthwiseVariant* find_depthwise(std::string_view name) {
  return find_variant(depthwise_variants(), name);
}

}  // namespace planish::kernels
