#include "kernels/conv/conv.h"

namespace planish::kernels {

#define PLANISH_ENTRY(entry) ConvVariant variant_##entry();
#include "kernels/conv/catalog.inc"
#undef PLANISH_ENTRY

std::span<const ConvVariant> conv_variants() {
  static const ConvVariant all[] = {
#define PLANISH_ENTRY(entry) variant_##entry(),
#include "kernels/conv/catalog.inc"
#undef PLANISH_ENTRY
  };
  return all;
}

const ConvVariant* find_conv(std::string_view name) { return find_variant(conv_variants(), name); }

int64_t packed_conv_floats(int64_t oc, int64_t k, int64_t groups) {
  return packed_a_floats(oc / groups, k) * groups;
}

void pack_conv(int64_t oc, int64_t k, int64_t groups, const float* w, float* packed) {
  const int64_t rows = oc / groups;
  for (int64_t g = 0; g < groups; ++g) {
    pack_a(rows, k, w + g * rows * k, k, 1, packed + g * packed_a_floats(rows, k));
  }
}

void unpack_conv(int64_t oc, int64_t k, int64_t groups, const float* packed, float* w) {
  const int64_t rows = oc / groups;
  for (int64_t g = 0; g < groups; ++g) {
    unpack_a(rows, k, packed + g * packed_a_floats(rows, k), w + g * rows * k, k, 1);
  }
}

}  // namespace planish::kernels
