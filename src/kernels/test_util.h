// For the tests of kernels only: seeded inputs, the tolerance of a reduction, all worker counts.
//
// A failure prints its seed; PLANISH_SEED=n runs that one case alone.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "kernels/isa.h"

namespace planish::kernels {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t integer(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(engine_);
  }
  float real(float lo = -1, float hi = 1) {
    return std::uniform_real_distribution<float>(lo, hi)(engine_);
  }
  bool coin() { return integer(0, 1) == 1; }
  std::vector<float> reals(int64_t n, float lo = -1, float hi = 1) {
    std::vector<float> out(static_cast<size_t>(n));
    for (float& v : out) v = real(lo, hi);
    return out;
  }
  template <class T>
  T pick(std::initializer_list<T> of) {
    return of.begin()[integer(0, static_cast<int64_t>(of.size()) - 1)];
  }

 private:
  std::mt19937_64 engine_;
};

// Whether the variant takes the problem. Refusing is no failure; refusing all that a test shows it
// is (expect_all_tested).
inline std::map<std::string, int, std::less<>>& problems_taken() {
  static std::map<std::string, int, std::less<>> counts;
  return counts;
}
template <class Variant, class Problem>
bool takes(const Variant& variant, const Problem& problem) {
  if (variant.supports(problem) != nullptr) return false;
  ++problems_taken()[variant.name];
  return true;
}
template <class Variants>
void expect_all_tested(const Variants& variants) {
  for (const auto& variant : variants) {
    if (machine_has(variant.isa)) {
      EXPECT_GT(problems_taken()[variant.name], 0) << variant.name << " refuses every problem here";
    }
  }
}

// Runs body(seed) for `count` seeds, or for PLANISH_SEED alone.
template <class Body>
void for_seeds(int count, Body body) {
  const char* only = std::getenv("PLANISH_SEED");
  const uint64_t first = only != nullptr ? std::strtoull(only, nullptr, 10) : 1;
  const uint64_t last = only != nullptr ? first : static_cast<uint64_t>(count);
  for (uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("replay with PLANISH_SEED=" + std::to_string(seed));
    body(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

// |got - want| <= tolerance for every element; NaN and infinities must be the same.
inline void expect_close(const std::vector<float>& got,
                         const std::vector<double>& want,
                         double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i])) {
      ASSERT_TRUE(std::isnan(got[i])) << "element " << i << ": " << got[i] << ", want NaN";
    } else if (std::isinf(want[i])) {
      ASSERT_EQ(got[i], static_cast<float>(want[i])) << "element " << i;
    } else {
      ASSERT_NEAR(got[i], want[i], tolerance) << "element " << i << " of " << got.size();
    }
  }
}

// The project's bound for a sum of k products, c eps sqrt(k) scale with c = 4 and scale = max(rms
// of the result, rms of the sum of |products| / sqrt k), for factors uniform in [-1, 1]: |a b| is
// 1/4 on average.
inline double reduction_tolerance(int64_t k) {
  constexpr double kEps = 1.1920929e-7;
  const double root = std::sqrt(static_cast<double>(k > 0 ? k : 1));
  return 4 * kEps * root * std::max(1.0, root / 4);
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

}  // namespace planish::kernels
