// Every tactic that this machine runs against plain loops in double.
#include "kernels/transposed/transposed.h"

#include <gtest/gtest.h>

#include "kernels/test_util.h"

namespace planish::kernels {
namespace {

void run_case(const TransposedVariant& variant, const ConvProblem& p, uint64_t seed, bool relu) {
  if (!takes(variant, p)) return;
  SCOPED_TRACE(variant.name);
  Random random(seed);
  const int64_t taps = p.kh * p.kw, plane = p.oh * p.ow;
  const auto x = random.reals(p.n * p.ic * p.ih * p.iw);
  const auto w = random.reals(p.ic * p.group_oc() * taps);
  std::vector<float> packed(
      static_cast<size_t>(packed_transposed_floats(p.ic, p.oc, taps, p.groups)), NAN);
  pack_transposed(p.ic, p.oc, taps, p.groups, w.data(), packed.data());
  std::vector<float> back(w.size());
  unpack_transposed(p.ic, p.oc, taps, p.groups, packed.data(), back.data());
  ASSERT_TRUE(same_bits(w, back));
  std::vector<double> want(static_cast<size_t>(p.n * p.oc * plane), 0);
  for (int64_t n = 0; n < p.n; ++n) {
    for (int64_t c = 0; c < p.ic; ++c) {
      const int64_t g = c / p.group_ic();
      for (int64_t o = 0; o < p.group_oc(); ++o) {
        for (int64_t at = 0; at < p.ih * p.iw * taps; ++at) {
          const int64_t tap = at % taps, q = at / taps;
          const int64_t oy = q / p.iw * p.sh - p.pad_top + tap / p.kw * p.dh;
          const int64_t ox = q % p.iw * p.sw - p.pad_left + tap % p.kw * p.dw;
          if (oy < 0 || oy >= p.oh || ox < 0 || ox >= p.ow) continue;
          const int64_t channel = g * p.group_oc() + o;
          want[static_cast<size_t>((n * p.oc + channel) * plane + oy * p.ow + ox)] +=
              static_cast<double>(x[static_cast<size_t>((n * p.ic + c) * p.ih * p.iw + q)]) *
              w[static_cast<size_t>((c * p.group_oc() + o) * taps + tap)];
        }
      }
    }
  }
  if (relu) {
    for (double& v : want) v = std::max(v, 0.0);
  }
  ConvArgs args;
  args.problem = p;
  args.x = x.data();
  args.weights = packed.data();
  args.epilogue.count = relu ? 1 : 0;
  args.epilogue.functions = &best_pointwise();
  std::vector<float> first;
  for (int workers = 1; workers <= 3; ++workers) {
    std::vector<float> workspace(static_cast<size_t>(variant.workspace_floats(p) * workers), NAN);
    std::vector<float> got(want.size(), -7.0f);
    args.y = got.data();
    args.workspace = workspace.data();
    for (int v = 0; v < workers; ++v) ASSERT_EQ(variant.run(&args, v, workers), Status::kOk);
    if (workers == 1) {
      expect_close(got, want, reduction_tolerance(p.group_ic() * taps));
      first = got;
    } else {
      ASSERT_TRUE(same_bits(first, got)) << workers << " workers give other bits than one";
    }
  }
}

TEST(Transposed, RandomShapesAgainstPlainLoops) {
  int ran = 0;
  for (const TransposedVariant& variant : transposed_variants()) {
    if (!machine_has(variant.isa)) continue;
    ++ran;
    for_seeds(100, [&](uint64_t seed) {
      Random random(seed);
      ConvProblem p;
      p.n = random.integer(1, 2);
      p.groups = random.integer(1, 3);
      p.ic = p.groups * random.integer(1, 6);
      p.oc = p.groups * random.integer(1, 6);
      p.ih = random.integer(1, 12);
      p.iw = random.integer(1, 40);
      p.kh = random.integer(1, 4);
      p.kw = random.integer(1, 4);
      p.sh = random.integer(1, 3);
      p.sw = random.integer(1, 3);
      p.dh = random.integer(1, 2);
      p.dw = random.integer(1, 2);
      p.pad_top = random.integer(0, 2);
      p.pad_left = random.integer(0, 2);
      p.oh = std::max<int64_t>((p.ih - 1) * p.sh + (p.kh - 1) * p.dh + 1 - p.pad_top, 1);
      p.ow = std::max<int64_t>((p.iw - 1) * p.sw + (p.kw - 1) * p.dw + 1 - p.pad_left, 1);
      run_case(variant, p, seed, random.coin());
    });
    // Several blocks of k and of pixels.
    run_case(variant, {1, 1, 500, 6, 7, 3, 12, 14, 2, 2, 2, 2, 1, 1, 0, 0}, 1, false);
    run_case(variant, {1, 1, 5, 40, 40, 3, 80, 80, 2, 2, 2, 2, 1, 1, 0, 0}, 1, true);
  }
  EXPECT_GE(ran, 1);
  expect_all_tested(transposed_variants());
}

}  // namespace
}  // namespace planish::kernels
