#include "kernels/transposed/transposed.h"

namespace planish::kernels {

#define PLANISH_ENTRY(entry) TransposedVariant variant_##entry();
#include "kernels/transposed/catalog.inc"
#undef PLANISH_ENTRY

std::span<const TransposedVariant> transposed_variants() {
  static const TransposedVariant all[] = {
#define PLANISH_ENTRY(entry) variant_##entry(),
#include "kernels/transposed/catalog.inc"
#undef PLANISH_ENTRY
  };
  return all;
}

const TransposedVariant* find_transposed(std::string_view name) {
  return find_variant(transposed_variants(), name);
}

int64_t packed_transposed_floats(int64_t ic, int64_t oc, int64_t taps, int64_t groups) {
  return packed_a_floats(oc / groups * taps, ic / groups) * groups;
}

void pack_transposed(
    int64_t ic, int64_t oc, int64_t taps, int64_t groups, const float* w, float* packed) {
  // A group's weights are the transposed matrix [ic][oc * taps].
  const int64_t rows = oc / groups * taps, k = ic / groups;
  for (int64_t g = 0; g < groups; ++g) {
    pack_a(rows, k, w + g * rows * k, 1, rows, packed + g * packed_a_floats(rows, k));
  }
}

void unpack_transposed(
    int64_t ic, int64_t oc, int64_t taps, int64_t groups, const float* packed, float* w) {
  const int64_t rows = oc / groups * taps, k = ic / groups;
  for (int64_t g = 0; g < groups; ++g) {
    unpack_a(rows, k, packed + g * packed_a_floats(rows, k), w + g * rows * k, 1, rows);
  }
}

}  // namespace planish::kernels
