#include "kernels/pool/pool.h"

namespace planish::kernels {

#define PLANISH_ENTRY(entry) PoolVariant variant_##entry();
#include "kernels/pool/catalog.inc"
#undef PLANISH_ENTRY

std::span<const PoolVariant> pool_variants() {
  static const PoolVariant all[] = {
#define PLANISH_ENTRY(entry) variant_##entry(),
#include "kernels/pool/catalog.inc"
#undef PLANISH_ENTRY
  };
  return all;
}

const PoolVariant* find_pool(std::string_view name) { return find_variant(pool_variants(), name); }

}  // namespace planish::kernels
