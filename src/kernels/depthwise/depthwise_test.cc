// Every tactic that this machine runs against plain loops in double.
#include "kernels/depthwise/depthwise.h"

#include <gtest/gtest.h>

#include "kernels/test_util.h"

namespace planish::kernels {
namespace {

void run_case(const DepthwiseVariant& variant, const ConvProblem& p, uint64_t seed, bool epilogue) {
  SCOPED_TRACE(variant.name);
  if (!takes(variant, p)) return;
  Random random(seed);
  const auto x = random.reals(p.n * p.ic * p.ih * p.iw), w = random.reals(p.oc * p.kh * p.kw),
             bias = random.reals(p.oc);
  ConvArgs args;
  args.problem = p;
  args.x = x.data();
  args.weights = w.data();
  if (epilogue) {
    args.epilogue.count = 2;
    args.epilogue.ops[0] = {true, {}, Binary::kAdd, true, 0, 0, bias.data(), 0, 1, 0};
    args.epilogue.ops[1] = {false, Unary::kClip, {}, true, 0, 6, nullptr, 0, 0, 0};
    args.epilogue.functions = &best_pointwise();
  }
  std::vector<double> want;
  for (int64_t n = 0; n < p.n; ++n) {
    for (int64_t o = 0; o < p.oc; ++o) {
      const int64_t c = o / p.group_oc();
      for (int64_t y = 0; y < p.oh; ++y) {
        for (int64_t z = 0; z < p.ow; ++z) {
          double sum = 0;
          for (int64_t i = 0; i < p.kh; ++i) {
            for (int64_t j = 0; j < p.kw; ++j) {
              const int64_t ih = y * p.sh - p.pad_top + i * p.dh,
                            iw = z * p.sw - p.pad_left + j * p.dw;
              if (ih < 0 || ih >= p.ih || iw < 0 || iw >= p.iw) continue;
              sum += static_cast<double>(w[static_cast<size_t>((o * p.kh + i) * p.kw + j)]) *
                     x[static_cast<size_t>(((n * p.ic + c) * p.ih + ih) * p.iw + iw)];
            }
          }
          if (epilogue) sum = std::clamp(sum + bias[static_cast<size_t>(o)], 0.0, 6.0);
          want.push_back(sum);
        }
      }
    }
  }
  std::vector<float> first;
  for (int workers = 1; workers <= 3; ++workers) {
    std::vector<float> workspace(static_cast<size_t>(variant.workspace_floats(p) * workers), NAN);
    std::vector<float> got(want.size(), -7.0f);
    args.y = got.data();
    args.workspace = workspace.data();
    for (int v = 0; v < workers; ++v) ASSERT_EQ(variant.run(&args, v, workers), Status::kOk);
    if (workers == 1) {
      expect_close(got, want, reduction_tolerance(p.kh * p.kw) + 4e-7);
      first = got;
    } else {
      ASSERT_TRUE(same_bits(first, got)) << workers << " workers give other bits than one";
    }
  }
}

TEST(Depthwise, RandomShapesAgainstPlainLoops) {
  int ran = 0;
  for (const DepthwiseVariant& variant : depthwise_variants()) {
    if (!machine_has(variant.isa)) continue;
    ++ran;
    for_seeds(150, [&](uint64_t seed) {
      Random random(seed);
      ConvProblem p;
      p.n = random.integer(1, 2);
      p.ic = p.groups = random.integer(1, 4);
      p.oc = p.ic * random.pick<int64_t>({1, 1, 2});
      p.ih = random.integer(1, 24);
      p.iw = random.integer(1, 50);
      p.kh = random.integer(1, 5);
      p.kw = random.integer(1, 5);
      p.sh = random.integer(1, 3);
      p.sw = random.integer(1, 3);
      p.dh = random.integer(1, 2);
      p.dw = random.integer(1, 3);
      // Negative padding crops.
      p.pad_top = random.integer(-1, 3);
      p.pad_left = random.integer(-1, 3);
      const int64_t height = p.ih + p.pad_top + random.integer(0, 3) - (p.kh - 1) * p.dh - 1;
      const int64_t width = p.iw + p.pad_left + random.integer(0, 3) - (p.kw - 1) * p.dw - 1;
      p.oh = height < 0 ? 0 : height / p.sh + 1;
      p.ow = width < 0 ? 0 : width / p.sw + 1;
      run_case(variant, p, seed, random.coin());
    });
  }
  EXPECT_GE(ran, 1);
  expect_all_tested(depthwise_variants());
}

}  // namespace
}  // namespace planish::kernels
