// Every tactic that this machine runs against the definition in double.
#include "kernels/softmax/softmax.h"

#include <gtest/gtest.h>

#include "kernels/test_util.h"

namespace planish::kernels {
namespace {

void run_case(const SoftmaxVariant& variant, const SoftmaxProblem& p, const std::vector<float>& x) {
  if (!takes(variant, p)) return;
  SCOPED_TRACE(std::string(variant.name) + " outer=" + std::to_string(p.outer) +
               " axis=" + std::to_string(p.axis) + " inner=" + std::to_string(p.inner) +
               (p.log ? " log" : ""));
  std::vector<double> want(x.size());
  for (int64_t o = 0; o < p.outer; ++o) {
    for (int64_t i = 0; i < p.inner; ++i) {
      const auto at = [&](int64_t a) {
        return static_cast<size_t>((o * p.axis + a) * p.inner + i);
      };
      double high = -INFINITY, sum = 0;
      for (int64_t a = 0; a < p.axis; ++a) high = std::max<double>(high, x[at(a)]);
      for (int64_t a = 0; a < p.axis; ++a) sum += std::exp(x[at(a)] - high);
      for (int64_t a = 0; a < p.axis; ++a) {
        want[at(a)] = p.log ? x[at(a)] - high - std::log(sum) : std::exp(x[at(a)] - high) / sum;
      }
    }
  }
  std::vector<float> first;
  for (int workers = 1; workers <= 3; ++workers) {
    std::vector<float> got(x.size(), -7.0f);
    const SoftmaxArgs args{p, x.data(), got.data()};
    for (int w = 0; w < workers; ++w) ASSERT_EQ(variant.run(&args, w, workers), Status::kOk);
    if (workers == 1) {
      expect_close(got, want, p.log ? 2e-5 : 1e-6);
      first = got;
    } else {
      ASSERT_TRUE(same_bits(first, got));
    }
  }
  // In place.
  std::vector<float> in_place = x;
  const SoftmaxArgs args{p, in_place.data(), in_place.data()};
  ASSERT_EQ(variant.run(&args, 0, 1), Status::kOk);
  ASSERT_TRUE(same_bits(first, in_place));
}

TEST(Softmax, RandomShapesAgainstTheDefinition) {
  int ran = 0;
  for (const SoftmaxVariant& variant : softmax_variants()) {
    if (!machine_has(variant.isa)) continue;
    ++ran;
    for_seeds(100, [&](uint64_t seed) {
      Random random(seed);
      const SoftmaxProblem p{random.integer(1, 5), random.integer(1, 60),
                             random.pick<int64_t>({1, 1, 3, 8, 21}), random.coin()};
      run_case(variant, p, random.reals(p.outer * p.axis * p.inner, -30, 30));
    });
    run_case(variant, {1, 5, 1, false}, {1e30f, 3, -1e30f, 0, 1e30f});
    run_case(variant, {1, 9, 1, false}, {-INFINITY, 1, 2, 3, -INFINITY, 5, 6, 7, -INFINITY});
    run_case(variant, {1, 3, 1, false}, {-INFINITY, -INFINITY, -INFINITY});  // NaN by definition
    run_case(variant, {3, 0, 4, false}, {});
  }
  EXPECT_GE(ran, 1);
  expect_all_tested(softmax_variants());
}

}  // namespace
}  // namespace planish::kernels
