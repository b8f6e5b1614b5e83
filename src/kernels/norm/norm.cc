#include "kernels/norm/norm.h"

namespace planish::kernels {

#define PLANISH_ENTRY(entry) NormVariant variant_##entry();
#include "kernels/norm/catalog.inc"
#undef PLANISH_ENTRY

std::span<const NormVariant> norm_variants() {
  static const NormVariant all[] = {
#define PLANISH_ENTRY(entry) variant_##entry(),
#include "kernels/norm/catalog.inc"
#undef PLANISH_ENTRY
  };
  return all;
}

const NormVariant* find_norm(std::string_view name) { return find_variant(norm_variants(), name); }

}  // namespace planish::kernels
