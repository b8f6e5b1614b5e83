// Every tactic that this machine runs against plain loops in double.
#include "kernels/conv/conv.h"

#include <gtest/gtest.h>

#include "kernels/test_util.h"

namespace planish::kernels {
namespace {

std::string describe(const ConvProblem& p) {
  const int64_t numbers[] = {p.n,  p.groups, p.ic, p.ih, p.iw, p.oc, p.oh,      p.ow,
                             p.kh, p.kw,     p.sh, p.sw, p.dh, p.dw, p.pad_top, p.pad_left};
  const char* names[] = {"n",  "groups", "ic", "ih", "iw", "oc", "oh", "ow",
                         "kh", "kw",     "sh", "sw", "dh", "dw", "pt", "pl"};
  std::string text;
  for (int i = 0; i < 16; ++i)
    text += std::string(" ") + names[i] + "=" + std::to_string(numbers[i]);
  return text;
}

void run_case(const ConvVariant& variant, const ConvProblem& p, uint64_t seed, bool epilogue) {
  SCOPED_TRACE(variant.name + describe(p));
  if (!takes(variant, p)) return;
  Random random(seed);
  const auto x = random.reals(p.n * p.ic * p.ih * p.iw), w = random.reals(p.oc * p.k()),
             bias = random.reals(p.oc);
  const auto residual = random.reals(p.n * p.oc * p.oh * p.ow);
  std::vector<float> packed(static_cast<size_t>(packed_conv_floats(p.oc, p.k(), p.groups)), NAN);
  pack_conv(p.oc, p.k(), p.groups, w.data(), packed.data());
  ConvArgs args;
  args.problem = p;
  args.x = x.data();
  args.weights = packed.data();
  if (epilogue) {
    args.epilogue.count = 3;
    args.epilogue.ops[0] = {true, {}, Binary::kAdd, true, 0, 0, bias.data(), 0, 1, 0};
    args.epilogue.ops[1] = {
        true, {}, Binary::kAdd, true, 0, 0, residual.data(), p.oc * p.oh * p.ow, p.oh * p.ow, 1};
    args.epilogue.ops[2] = {};
    args.epilogue.functions = &best_pointwise();
  }
  std::vector<double> want;
  size_t at = 0;
  for (int64_t n = 0; n < p.n; ++n) {
    for (int64_t o = 0; o < p.oc; ++o) {
      const int64_t g = o / p.group_oc();
      for (int64_t y = 0; y < p.oh; ++y) {
        for (int64_t z = 0; z < p.ow; ++z, ++at) {
          double sum = 0;
          for (int64_t c = 0; c < p.group_ic(); ++c) {
            for (int64_t i = 0; i < p.kh; ++i) {
              for (int64_t j = 0; j < p.kw; ++j) {
                const int64_t ih = y * p.sh - p.pad_top + i * p.dh,
                              iw = z * p.sw - p.pad_left + j * p.dw;
                if (ih < 0 || ih >= p.ih || iw < 0 || iw >= p.iw) continue;
                sum += static_cast<double>(
                           w[static_cast<size_t>(((o * p.group_ic() + c) * p.kh + i) * p.kw + j)]) *
                       x[static_cast<size_t>(
                           ((n * p.ic + g * p.group_ic() + c) * p.ih + ih) * p.iw + iw)];
              }
            }
          }
          if (epilogue) {
            sum += bias[static_cast<size_t>(o)] + static_cast<double>(residual[at]);
            if (sum < 0) sum = 0;
          }
          want.push_back(sum);
        }
      }
    }
  }
  std::vector<float> first;
  for (int workers = 1; workers <= 3; ++workers) {
    const int64_t per_worker = variant.workspace_floats(p.k());
    ASSERT_LE(per_worker, kMaxConvWorkspace);
    ASSERT_EQ(per_worker % 16, 0);
    std::vector<float> workspace(static_cast<size_t>(per_worker * workers), NAN),
        got(want.size(), -7.0f);
    args.y = got.data();
    args.workspace = workspace.data();
    for (int v = 0; v < workers; ++v) ASSERT_EQ(variant.run(&args, v, workers), Status::kOk);
    if (workers == 1) {
      expect_close(got, want, reduction_tolerance(p.k()) + 4e-7);
      first = got;
    } else {
      ASSERT_TRUE(same_bits(first, got)) << workers << " workers give other bits than one";
    }
  }
}

int64_t out_dim(int64_t in, int64_t pad, int64_t k, int64_t s, int64_t d) {
  const int64_t span = in + pad - (k - 1) * d - 1;
  return span < 0 ? 0 : span / s + 1;
}

TEST(Conv, RandomShapesAgainstPlainLoops) {
  for (const ConvVariant& variant : conv_variants()) {
    if (!machine_has(variant.isa)) continue;
    for_seeds(120, [&](uint64_t seed) {
      Random random(seed);
      ConvProblem p;
      p.n = random.integer(1, 2);
      p.groups = random.pick<int64_t>({1, 1, 2, 3});
      p.ic = p.groups * random.integer(1, 6);
      p.oc = p.groups * random.integer(1, 9);
      p.ih = random.integer(1, 14);
      p.iw = random.integer(1, 40);
      p.kh = random.integer(1, 5);
      p.kw = random.integer(1, 5);
      p.sh = random.integer(1, 3);
      p.sw = random.pick<int64_t>({1, 1, 2, 3});
      p.dh = random.integer(1, 2);
      p.dw = random.integer(1, 2);
      p.pad_top = random.integer(0, 3);
      p.pad_left = random.integer(0, 3);
      p.oh = out_dim(p.ih, p.pad_top + random.integer(0, 3), p.kh, p.sh, p.dh);
      p.ow = out_dim(p.iw, p.pad_left + random.integer(0, 3), p.kw, p.sw, p.dw);
      run_case(variant, p, seed, random.coin());
    });
  }
  expect_all_tested(conv_variants());
}

TEST(Conv, ShapesOfRealLayers) {
  for (const ConvVariant& variant : conv_variants()) {
    if (!machine_has(variant.isa)) continue;
    run_case(variant, {1, 1, 3, 30, 30, 17, 15, 15, 7, 7, 2, 2, 1, 1, 3, 3}, 1, true);  // a stem
    run_case(variant, {1, 1, 70, 7, 7, 80, 7, 7, 3, 3, 1, 1, 1, 1, 1, 1}, 2,
             true);  // weights larger than pixels
    run_case(variant, {2, 1, 33, 14, 14, 20, 14, 14, 1, 1, 1, 1, 1, 1, 0, 0}, 3, true);  // 1 x 1
    run_case(variant, {1, 1, 12, 1, 700, 8, 1, 700, 1, 3, 1, 1, 1, 1, 0, 1}, 4, false);  // 1-D
    run_case(variant, {1, 1, 50, 9, 9, 10, 9, 9, 3, 3, 1, 1, 1, 1, 1, 1}, 5,
             false);  // K in two blocks
    run_case(variant, {1, 1, 4, 1, 1, 6, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, 6, true);  // one pixel
    run_case(variant, {1, 1, 4, 5, 5, 6, 4, 4, 2, 2, 1, 1, 1, 1, 0, 0}, 6,
             true);  // exactly 16 pixels
    run_case(variant, {0, 1, 4, 5, 5, 6, 4, 4, 2, 2, 1, 1, 1, 1, 0, 0}, 6, true);  // no image
  }
}

TEST(Conv, PackUnpacksToWhatItWas) {
  Random random(1);
  const auto w = random.reals(21 * 10);
  std::vector<float> packed(static_cast<size_t>(packed_conv_floats(21, 10, 3)), NAN),
      back(w.size());
  pack_conv(21, 10, 3, w.data(), packed.data());
  for (const float v : packed) ASSERT_FALSE(std::isnan(v));
  unpack_conv(21, 10, 3, packed.data(), back.data());
  EXPECT_TRUE(same_bits(w, back));
}

}  // namespace
}  // namespace planish::kernels
