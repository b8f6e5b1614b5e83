#include "kernels/probe/probe.h"

#include <gtest/gtest.h>

#include <vector>

namespace planish::kernels {
namespace {

TEST(Probe, EveryVariantCountsWhatItDoes) {
  for (const ProbeVariant& variant : probe_variants()) {
    if (!machine_has(variant.isa)) continue;
    float sink = -1;
    // The chains run towards 1, their fixed point, so that the sum nears 12.
    EXPECT_GT(variant.multiply_add(100000, &sink), 2.0 * 12 * 100000 - 1);
    EXPECT_NEAR(sink, 12, 0.1) << variant.name;
    std::vector<float> ones(640, 1.0f);
    variant.read(ones.data(), 640, &sink);
    EXPECT_GT(sink, 0) << variant.name;
  }
}

TEST(Probe, FiguresArePositiveAndPlausible) {
  const ProbeResult one = probe(1);
  EXPECT_GT(one.fp32_gflops, 0.1);
  EXPECT_LT(one.fp32_gflops, 1000);
  EXPECT_GT(one.read_gbs, 0.05);
  EXPECT_LT(one.read_gbs, 1000);
}

}  // namespace
}  // namespace planish::kernels
