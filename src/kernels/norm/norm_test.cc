// Every tactic that this machine runs against plain loops in double.
#include "kernels/norm/norm.h"

#include <gtest/gtest.h>

#include "kernels/test_util.h"

namespace planish::kernels {
namespace {

template <class Body>
void for_variants(Body body) {
  int ran = 0;
  for (const NormVariant& variant : norm_variants()) {
    if (!machine_has(variant.isa)) continue;
    ++ran;
    SCOPED_TRACE(variant.name);
    body(variant);
  }
  EXPECT_GE(ran, 1);
}

// run(got, worker, workers) for 1 to 3 workers; the first against `want`, all alike.
template <class Run>
void compare(const std::vector<double>& want, double tolerance, Run run) {
  std::vector<float> first;
  for (int workers = 1; workers <= 3; ++workers) {
    std::vector<float> got(want.size(), -7.0f);
    for (int w = 0; w < workers; ++w) ASSERT_EQ(run(got.data(), w, workers), Status::kOk);
    if (workers == 1) {
      expect_close(got, want, tolerance);
      first = got;
    } else {
      ASSERT_TRUE(same_bits(first, got));
    }
  }
}

TEST(Norm, ReductionsAgainstPlainLoops) {
  for_variants([](const NormVariant& variant) {
    for_seeds(150, [&](uint64_t seed) {
      Random random(seed);
      ReduceArgs a;
      a.op = static_cast<ReduceOp>(random.integer(0, static_cast<int64_t>(ReduceOp::kCount) - 1));
      a.outer = random.integer(1, 40);
      a.axis = random.integer(1, 70);
      a.inner = random.pick<int64_t>({1, 1, 2, 8, 13, 40});
      const auto x = random.reals(a.outer * a.axis * a.inner);
      std::vector<double> want;
      for (int64_t o = 0; o < a.outer; ++o) {
        for (int64_t i = 0; i < a.inner; ++i) {
          double sum = 0, squares = 0, absolute = 0, high = -INFINITY, low = INFINITY;
          for (int64_t k = 0; k < a.axis; ++k) {
            const double v = x[static_cast<size_t>((o * a.axis + k) * a.inner + i)];
            sum += v;
            squares += v * v;
            absolute += std::fabs(v);
            high = std::max(high, v);
            low = std::min(low, v);
          }
          switch (a.op) {
            case ReduceOp::kSum:
              want.push_back(sum);
              break;
            case ReduceOp::kMean:
              want.push_back(sum / static_cast<double>(a.axis));
              break;
            case ReduceOp::kMax:
              want.push_back(high);
              break;
            case ReduceOp::kMin:
              want.push_back(low);
              break;
            case ReduceOp::kSumSquare:
              want.push_back(squares);
              break;
            case ReduceOp::kL1:
              want.push_back(absolute);
              break;
            default:
              want.push_back(std::sqrt(squares));
              break;
          }
        }
      }
      a.x = x.data();
      // A sum of |x| reaches half the number of its terms.
      const double tolerance = 4.8e-7 * std::sqrt(static_cast<double>(a.axis)) *
                               std::max(1.0, static_cast<double>(a.axis) / 2);
      compare(want, tolerance, [&](float* got, int w, int workers) {
        ReduceArgs args = a;
        args.y = got;
        return variant.reduce(&args, w, workers);
      });
    });
  });
}

TEST(Norm, BatchNormAgainstItsDefinition) {
  for_variants([](const NormVariant& variant) {
    for_seeds(40, [&](uint64_t seed) {
      Random random(seed);
      BatchNormArgs a;
      a.n = random.integer(1, 3);
      a.channels = random.integer(1, 9);
      a.inner = random.integer(1, 50);
      a.epsilon = 1e-3f;
      const auto x = random.reals(a.n * a.channels * a.inner), scale = random.reals(a.channels),
                 bias = random.reals(a.channels);
      const auto mean = random.reals(a.channels), variance = random.reals(a.channels, 0.1f, 2);
      std::vector<double> want;
      for (int64_t i = 0; i < a.n * a.channels * a.inner; ++i) {
        const auto c = static_cast<size_t>(i / a.inner % a.channels);
        want.push_back((static_cast<double>(x[static_cast<size_t>(i)]) - mean[c]) /
                           std::sqrt(static_cast<double>(variance[c]) + a.epsilon) * scale[c] +
                       bias[c]);
      }
      a.x = x.data();
      a.scale = scale.data();
      a.bias = bias.data();
      a.mean = mean.data();
      a.variance = variance.data();
      compare(want, 4e-6, [&](float* got, int w, int workers) {
        BatchNormArgs args = a;
        args.y = got;
        return variant.batch_norm(&args, w, workers);
      });
    });
  });
}

TEST(Norm, LayerNormAgainstItsDefinition) {
  for_variants([](const NormVariant& variant) {
    for_seeds(40, [&](uint64_t seed) {
      Random random(seed);
      LayerNormArgs a;
      a.rows = random.integer(1, 9);
      a.width = random.integer(1, 80);
      const float offset = random.pick<float>({0, 0, 100});
      const auto x = random.reals(a.rows * a.width, offset - 1, offset + 1),
                 scale = random.reals(a.width), bias = random.reals(a.width);
      const bool with_bias = random.coin();
      std::vector<double> want;
      for (int64_t r = 0; r < a.rows; ++r) {
        const float* row = x.data() + r * a.width;
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < a.width; ++i) mean += row[i] / static_cast<double>(a.width);
        for (int64_t i = 0; i < a.width; ++i)
          variance += (row[i] - mean) * (row[i] - mean) / static_cast<double>(a.width);
        for (int64_t i = 0; i < a.width; ++i) {
          want.push_back((row[i] - mean) / std::sqrt(variance + a.epsilon) *
                             scale[static_cast<size_t>(i)] +
                         (with_bias ? bias[static_cast<size_t>(i)] : 0));
        }
      }
      a.x = x.data();
      a.scale = scale.data();
      a.bias = with_bias ? bias.data() : nullptr;
      // A mean of 100 is rounded to 8e-6; a row of one element has no variance to hide that.
      compare(want,
              offset == 0   ? 2e-5
              : a.width < 4 ? 1e-2
                            : 4e-4,
              [&](float* got, int w, int workers) {
                LayerNormArgs args = a;
                args.y = got;
                return variant.layer_norm(&args, w, workers);
              });
    });
  });
}

}  // namespace
}  // namespace planish::kernels
