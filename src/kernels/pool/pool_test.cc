// Every tactic that this machine runs against plain loops in double.
#include "kernels/pool/pool.h"

#include <gtest/gtest.h>

#include "kernels/test_util.h"

namespace planish::kernels {
namespace {

double pooled(const PoolProblem& p, const float* plane, int64_t y, int64_t z) {
  double sum = 0, high = -INFINITY;
  int64_t inside = 0, padded = 0;
  for (int64_t i = 0; i < p.kh; ++i) {
    for (int64_t j = 0; j < p.kw; ++j) {
      const int64_t ih = y * p.sh - p.pad_top + i * p.dh, iw = z * p.sw - p.pad_left + j * p.dw;
      padded += ih < p.ih + p.pad_bottom && iw < p.iw + p.pad_right ? 1 : 0;
      if (ih < 0 || ih >= p.ih || iw < 0 || iw >= p.iw) continue;
      ++inside;
      const double v = plane[ih * p.iw + iw];
      sum += v;
      high = v > high || std::isnan(v) ? v : high;
    }
  }
  if (p.kind == PoolKind::kMax) return high;
  return sum / static_cast<double>(p.count_include_pad ? padded : inside);
}

TEST(Pool, RandomShapesAgainstPlainLoops) {
  int ran = 0;
  for (const PoolVariant& variant : pool_variants()) {
    if (!machine_has(variant.isa)) continue;
    ++ran;
    for_seeds(200, [&](uint64_t seed) {
      SCOPED_TRACE(variant.name);
      Random random(seed);
      PoolProblem p;
      p.kind = random.coin() ? PoolKind::kMax : PoolKind::kAverage;
      p.count_include_pad = random.coin();
      p.planes = random.integer(1, 4);
      p.kh = random.integer(1, 4);
      p.kw = random.integer(1, 4);
      p.ih = random.integer(p.kh, 20);
      p.iw = random.integer(p.kw, 40);
      p.sh = random.integer(1, 3);
      p.sw = random.integer(1, 3);
      p.dh = random.pick<int64_t>({1, 1, 2});
      p.dw = random.pick<int64_t>({1, 1, 2});
      p.pad_top = random.integer(0, p.kh - 1);
      p.pad_left = random.integer(0, p.kw - 1);
      p.pad_bottom = random.integer(0, p.kh - 1);
      p.pad_right = random.integer(0, p.kw - 1);
      const int64_t height = p.ih + p.pad_top + p.pad_bottom - (p.kh - 1) * p.dh - 1;
      const int64_t width = p.iw + p.pad_left + p.pad_right - (p.kw - 1) * p.dw - 1;
      // Up to one window more than fits: ceil_mode.
      p.oh = height < 0 ? 0 : height / p.sh + 1 + (random.coin() && height % p.sh != 0);
      p.ow = width < 0 ? 0 : width / p.sw + 1 + (random.coin() && width % p.sw != 0);
      if (!takes(variant, p)) return;
      auto x = random.reals(p.planes * p.ih * p.iw);
      if (random.integer(0, 9) == 0)
        x[static_cast<size_t>(random.integer(0, static_cast<int64_t>(x.size()) - 1))] = NAN;
      std::vector<double> want;
      for (int64_t c = 0; c < p.planes; ++c) {
        for (int64_t y = 0; y < p.oh; ++y) {
          for (int64_t z = 0; z < p.ow; ++z)
            want.push_back(pooled(p, x.data() + c * p.ih * p.iw, y, z));
        }
      }
      std::vector<float> first;
      for (int workers = 1; workers <= 3; ++workers) {
        std::vector<float> workspace(static_cast<size_t>(variant.workspace_floats(p) * workers),
                                     NAN);
        std::vector<float> got(want.size(), -7.0f);
        const PoolArgs args{p, x.data(), got.data(), workspace.data()};
        for (int w = 0; w < workers; ++w) ASSERT_EQ(variant.run(&args, w, workers), Status::kOk);
        if (workers == 1) {
          expect_close(got, want, 2e-6);
          first = got;
        } else {
          ASSERT_TRUE(same_bits(first, got));
        }
      }
    });
  }
  EXPECT_GE(ran, 1);
  expect_all_tested(pool_variants());
}

}  // namespace
}  // namespace planish::kernels
