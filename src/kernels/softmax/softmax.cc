#include "kernels/softmax/softmax.h"

namespace planish::kernels {

#define PLANISH_ENTRY(entry) SoftmaxVariant variant_##entry();
#include "kernels/softmax/catalog.inc"
#undef PLANISH_ENTRY

std::span<const SoftmaxVariant> softmax_variants() {
  static const SoftmaxVariant all[] = {
#define PLANISH_ENTRY(entry) variant_##entry(),
#include "kernels/softmax/catalog.inc"
#undef PLANISH_ENTRY
  };
  return all;
}

const SoftmaxVariant* find_softmax(std::string_view name) {
  return find_variant(softmax_variants(), name);
}

}  // namespace planish::kernels
