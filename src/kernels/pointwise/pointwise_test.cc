// Every variant that this machine runs against the C library in double: errors in units of the last
// place over floats of every magnitude, special values, and independence of position.
#include "kernels/pointwise/pointwise.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "kernels/pointwise/broadcast.h"
#include "kernels/pointwise/convert.h"
#include "kernels/test_util.h"

namespace planish::kernels {
namespace {

template <class Body>
void for_variants(Body body) {
  int ran = 0;
  for (const PointwiseVariant& variant : pointwise_variants()) {
    if (!machine_has(variant.isa)) continue;
    ++ran;
    SCOPED_TRACE(variant.name);
    body(variant);
  }
  EXPECT_GE(ran, 1);
}

// Distance in units of the last place of the true value's float; results in the denormal range may
// be flushed, so an absolute error below the least normal number counts nothing.
double ulp_error(float got, double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
  const auto nearest = static_cast<float>(want);
  if (std::isinf(nearest) || std::isinf(got)) return got == nearest ? 0 : 1e9;
  const double error = std::fabs(static_cast<double>(got) - want);
  if (error < std::numeric_limits<float>::min()) return 0;
  int exponent = 0;
  std::frexp(want, &exponent);
  return error / std::ldexp(1.0, std::max(exponent - 24, -149));
}

// Floats of both signs, every exponent and 64 mantissas each (shifted by the exponent).
std::vector<float> sweep() {
  std::vector<float> x;
  for (uint32_t exponent = 0; exponent < 256; ++exponent) {
    for (uint32_t k = 0; k < 64; ++k) {
      const uint32_t mantissa = (k * 131101u + exponent * 7919u) & 0x7fffff;
      for (const uint32_t sign : {0u, 1u}) {
        const uint32_t bits = sign << 31 | exponent << 23 | mantissa;
        float v;
        std::memcpy(&v, &bits, 4);
        x.push_back(v);
      }
    }
  }
  // Densely where the functions bend.
  for (int i = -40000; i <= 40000; ++i) x.push_back(static_cast<float>(i) * 0.0025f);
  for (const float v : {0.0f, -0.0f, INFINITY, -INFINITY, NAN}) x.push_back(v);
  return x;
}

struct Wanted {
  Unary op;
  double ulps;
  std::function<double(double)> f;
  float p0 = 0, p1 = 0;
};

TEST(Pointwise, UnaryOperatorsWithinTheirUlps) {
  const std::vector<Wanted> all = {
      {Unary::kExp, 4, [](double x) { return std::exp(x); }},
      {Unary::kTanh, 4, [](double x) { return std::tanh(x); }},
      {Unary::kSigmoid, 4, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {Unary::kErf, 4, [](double x) { return std::erf(x); }},
      {Unary::kSqrt, 1, [](double x) { return std::sqrt(x); }},
      {Unary::kReciprocal, 1, [](double x) { return 1 / x; }},
      {Unary::kSoftsign, 2, [](double x) { return std::isinf(x) ? NAN : x / (1 + std::fabs(x)); }},
      {Unary::kRelu, 0, [](double x) { return x < 0 ? 0 : x; }},
      {Unary::kLeakyRelu, 1, [](double x) { return x < 0 ? x * 0.1f : x; }, 0.1f},
      {Unary::kThresholdedRelu, 0, [](double x) { return x > 1.5 || std::isnan(x) ? x : 0; }, 1.5f},
      {Unary::kClip, 0, [](double x) { return x < -1  ? -1
                                              : x > 6 ? 6
                                                      : x; }, -1, 6},
      {Unary::kHardSwish, 4,
       [](double x) { return x <= -3  ? x * 0
                             : x >= 3 ? x
                                      : x * (x / 6 + 0.5); }},
      {Unary::kNeg, 0, [](double x) { return -x; }},
      {Unary::kAbs, 0, [](double x) { return std::fabs(x); }},
      {Unary::kFloor, 0, [](double x) { return std::floor(x); }},
      {Unary::kCeil, 0, [](double x) { return std::ceil(x); }},
      {Unary::kRound, 0, [](double x) { return std::nearbyint(x); }},
      {Unary::kSign, 0, [](double x) { return x > 0   ? 1
                                              : x < 0 ? -1
                                                      : x; }},
      {Unary::kLog, 4, [](double x) { return std::log(x); }},
  };
  const std::vector<float> x = sweep();
  for_variants([&](const PointwiseVariant& variant) {
    for (const Wanted& w : all) {
      SCOPED_TRACE(std::string(to_string(w.op)));
      std::vector<float> y(x.size());
      variant.unary(w.op, w.p0, w.p1, x.data(), y.data(), static_cast<int64_t>(x.size()));
      double worst = 0;
      float where = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        // x + 1/2 cancels next to -3: HardSwish is compared by absolute error there.
        if (w.op == Unary::kHardSwish && std::fabs(x[i] + 3) < 0.5f) continue;
        const double error = ulp_error(y[i], w.f(x[i]));
        if (error > worst) {
          worst = error;
          where = x[i];
        }
      }
      // Half a unit is rounding itself.
      EXPECT_LE(worst, w.ulps + 0.5) << "at " << where;
    }
  });
}

TEST(Pointwise, ActivationsWithinAbsoluteError) {
  const auto softplus = [](double x) { return std::log1p(std::exp(x)); };
  const std::vector<Wanted> all = {
      {Unary::kGelu, 0, [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }},
      {Unary::kGeluTanh, 0,
       [](double x) {
         return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
       }},
      {Unary::kElu, 0, [](double x) { return x < 0 ? 1.5 * std::expm1(x) : x; }, 1.5f},
      {Unary::kSelu, 0, [](double x) { return 1.25 * (x > 0 ? x : 1.5 * std::expm1(x)); }, 1.5f,
       1.25f},
      {Unary::kCelu, 0, [](double x) { return x < 0 ? 2 * std::expm1(x / 2) : x; }, 2.0f},
      {Unary::kHardSigmoid, 0, [](double x) { return std::clamp(0.25 * x + 0.5, 0.0, 1.0); }, 0.25f,
       0.5f},
      {Unary::kSwish, 0, [](double x) { return x / (1 + std::exp(-x)); }, 1.0f},
      {Unary::kAffine, 0, [](double x) { return x * 2.5 - 1; }, 2.5f, -1.0f},
      {Unary::kSoftplus, 0, softplus},
      {Unary::kMish, 0, [&](double x) { return x * std::tanh(softplus(x)); }},
      {Unary::kSin, 0, [](double x) { return std::sin(x); }},
      {Unary::kCos, 0, [](double x) { return std::cos(x); }},
  };
  std::vector<float> x;
  for (int i = -2000; i <= 2000; ++i) x.push_back(static_cast<float>(i) * 0.01f);
  for_variants([&](const PointwiseVariant& variant) {
    for (const Wanted& w : all) {
      SCOPED_TRACE(std::string(to_string(w.op)));
      std::vector<float> y(x.size());
      variant.unary(w.op, w.p0, w.p1, x.data(), y.data(), static_cast<int64_t>(x.size()));
      for (size_t i = 0; i < x.size(); ++i) {
        const double want = w.f(x[i]);
        ASSERT_NEAR(y[i], want, 6e-7 * std::max(1.0, std::fabs(want))) << "at " << x[i];
      }
    }
  });
}

TEST(Pointwise, BitsDoNotDependOnThePosition) {
  Random random(1);
  const auto a = random.reals(67, -3, 3), b = random.reals(67, -3, 3);
  for_variants([&](const PointwiseVariant& variant) {
    for (int op = 0; op < static_cast<int>(Unary::kCount); ++op) {
      std::vector<float> whole(a.size()), one(a.size());
      variant.unary(static_cast<Unary>(op), 0.7f, 1.3f, a.data(), whole.data(), 67);
      for (size_t i = 0; i < a.size(); ++i)
        variant.unary(static_cast<Unary>(op), 0.7f, 1.3f, a.data() + i, one.data() + i, 1);
      EXPECT_TRUE(same_bits(whole, one)) << to_string(static_cast<Unary>(op));
    }
    for (int op = 0; op < static_cast<int>(Binary::kCount); ++op) {
      std::vector<float> whole(a.size()), one(a.size());
      variant.binary(static_cast<Binary>(op), a.data(), 1, b.data(), 1, whole.data(), 67);
      for (size_t i = 0; i < a.size(); ++i)
        variant.binary(static_cast<Binary>(op), a.data() + i, 1, b.data() + i, 1, one.data() + i,
                       1);
      EXPECT_TRUE(same_bits(whole, one)) << to_string(static_cast<Binary>(op));
    }
  });
}

double apply(Binary op, double a, double b) {
  switch (op) {
    case Binary::kAdd:
      return a + b;
    case Binary::kSub:
      return a - b;
    case Binary::kMul:
      return a * b;
    case Binary::kDiv:
      return a / b;
    case Binary::kMin:
      return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
    case Binary::kMax:
      return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
    case Binary::kPRelu:
      return a < 0 ? a * b : a;
    default:
      return std::pow(a, b);
  }
}

TEST(Pointwise, BroadcastBinaryAgainstPlainIndexing) {
  for_variants([](const PointwiseVariant& variant) {
    for_seeds(150, [&](uint64_t seed) {
      Random random(seed);
      const int64_t rank = random.integer(0, 5);
      std::vector<int64_t> out, shapes[2];
      for (int64_t i = 0; i < rank; ++i) out.push_back(random.integer(1, 6));
      for (auto& shape : shapes) {
        const int64_t own = random.integer(0, rank);
        for (int64_t i = rank - own; i < rank; ++i)
          shape.push_back(random.coin() ? 1 : out[static_cast<size_t>(i)]);
      }
      int64_t sizes[2] = {1, 1}, total = 1;
      for (int k = 0; k < 2; ++k) {
        for (const int64_t d : shapes[k]) sizes[k] *= d;
      }
      for (const int64_t d : out) total *= d;
      auto a = random.reals(sizes[0]), b = random.reals(sizes[1]);
      if (random.integer(0, 4) == 0) a[0] = NAN;
      const auto op = static_cast<Binary>(random.integer(0, static_cast<int64_t>(Binary::kPRelu)));
      std::vector<double> want;
      for (int64_t flat = 0; flat < total; ++flat) {
        int64_t at[2] = {0, 0};
        for (int k = 0; k < 2; ++k) {
          int64_t rest = flat, stride = 1;
          for (size_t i = 0; i < out.size(); ++i) {
            const int64_t index = rest % out[out.size() - 1 - i];
            rest /= out[out.size() - 1 - i];
            if (i >= shapes[k].size()) continue;
            const int64_t dim = shapes[k][shapes[k].size() - 1 - i];
            at[k] += dim == 1 ? 0 : index * stride;
            stride *= dim;
          }
        }
        want.push_back(apply(op, a[static_cast<size_t>(at[0])], b[static_cast<size_t>(at[1])]));
      }
      BinaryArgs args;
      const std::span<const int64_t> both[] = {shapes[0], shapes[1]};
      ASSERT_TRUE(make_index(out, both, args.index));
      args.op = op;
      args.a = a.data();
      args.b = b.data();
      args.functions = &variant;
      for (int workers = 1; workers <= 3; ++workers) {
        std::vector<float> got(want.size(), -7.0f);
        args.y = got.data();
        for (int w = 0; w < workers; ++w) ASSERT_EQ(binary_f32(&args, w, workers), Status::kOk);
        for (size_t i = 0; i < want.size(); ++i) {
          if (std::isnan(want[i])) {
            ASSERT_TRUE(std::isnan(got[i]));
          } else {
            ASSERT_EQ(got[i], static_cast<float>(want[i])) << to_string(op) << " element " << i;
          }
        }
      }
    });
  });
}

TEST(Pointwise, AnIndexRefusesWhatDoesNotBroadcast) {
  BroadcastIndex index;
  const std::vector<int64_t> out = {2, 3}, bad = {2}, longer = {2, 2, 3}, ones = {1, 2, 3};
  const std::span<const int64_t> a[] = {bad}, b[] = {longer}, c[] = {ones};
  EXPECT_FALSE(make_index(out, a, index));
  EXPECT_FALSE(make_index(out, b, index));
  EXPECT_TRUE(make_index(out, c, index));
}

TEST(Pointwise, NamesRoundTrip) {
  for (int i = 0; i < static_cast<int>(Unary::kCount); ++i) {
    EXPECT_EQ(parse_unary(to_string(static_cast<Unary>(i))), static_cast<Unary>(i));
  }
  for (int i = 0; i < static_cast<int>(Binary::kCount); ++i) {
    EXPECT_EQ(parse_binary(to_string(static_cast<Binary>(i))), static_cast<Binary>(i));
  }
  EXPECT_FALSE(parse_unary("frobnicate"));
}

TEST(Cast, FloatsTruncateAndWhatDoesNotFitIsTheLeastInteger) {
  const float x[] = {1.9f, -1.9f, 300.0f, 3e9f, 1e30f, NAN, -0.0f, 0.5f};
  int32_t i32[8];
  int64_t i64[8];
  bool truth[8];
  CastArgs args{DType::kFloat32, DType::kInt32, 8, x, i32};
  cast(&args, 0, 1);
  EXPECT_EQ(i32[0], 1);
  EXPECT_EQ(i32[1], -1);
  EXPECT_EQ(i32[3], std::numeric_limits<int32_t>::min());
  EXPECT_EQ(i32[5], std::numeric_limits<int32_t>::min());
  args = {DType::kFloat32, DType::kInt64, 8, x, i64};
  cast(&args, 0, 1);
  EXPECT_EQ(i64[3], 3000000000);
  EXPECT_EQ(i64[4], std::numeric_limits<int64_t>::min());
  args = {DType::kFloat32, DType::kBool, 8, x, truth};
  cast(&args, 0, 1);
  EXPECT_TRUE(truth[5]);
  EXPECT_FALSE(truth[6]);
  EXPECT_TRUE(truth[7]);
}

}  // namespace
}  // namespace planish::kernels
