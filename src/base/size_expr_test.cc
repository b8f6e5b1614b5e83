#include "base/size_expr.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace planish {
namespace {

SizeExpr parse(std::string_view text) { return SizeExpr::parse(text); }

TEST(SizeExpr, CanonicalFormJoinsLikeTerms) {
  EXPECT_EQ(parse("N + N"), parse("2*N"));
  EXPECT_EQ(parse("(a + b) - b"), parse("a"));
  EXPECT_EQ(parse("(a + 1)*(a - 1)"), parse("a*a - 1"));
  EXPECT_EQ(parse("a*b"), parse("b*a"));
  EXPECT_EQ(parse("N - N"), SizeExpr(0));
  EXPECT_NE(parse("a"), parse("b"));
}

TEST(SizeExpr, PrintsWhatItParses) {
  for (const char* text : {"0", "-3", "N", "2*S + 1", "floordiv(H + 1, 2)", "max(a, b)*c", "-N + 4",
                           "mod(N, 3)", "ceildiv(H, s)"}) {
    EXPECT_EQ(parse(parse(text).to_string()), parse(text)) << text;
  }
  EXPECT_EQ(parse("2*S+1").to_string(), "2*S + 1");
}

TEST(SizeExpr, DivisionSimplifiesOnlyWhatIsExact) {
  EXPECT_EQ(SizeExpr::floor_div(parse("4*N"), 2), parse("2*N"));
  EXPECT_EQ(SizeExpr::floor_div(parse("12*N*S"), parse("N")), parse("12*S"));
  EXPECT_EQ(SizeExpr::ceil_div(parse("3*N"), parse("N")), SizeExpr(3));
  EXPECT_EQ(SizeExpr::mod(parse("6*N"), 3), SizeExpr(0));
  EXPECT_EQ(SizeExpr::floor_div(parse("2*N + 3"), 2), parse("N + 1"));
  EXPECT_FALSE(SizeExpr::floor_div(parse("N"), 2).is_constant());
  EXPECT_THROW(SizeExpr::floor_div(parse("N"), 0), Error);
}

TEST(SizeExpr, DivisionRoundsAsNamed) {
  for (int64_t a = -7; a <= 7; ++a) {
    for (const int64_t b : {-3, -2, -1, 1, 2, 3}) {
      const double q = static_cast<double>(a) / static_cast<double>(b);
      EXPECT_EQ(SizeExpr::floor_div(a, b), SizeExpr(static_cast<int64_t>(std::floor(q))))
          << a << "/" << b;
      EXPECT_EQ(SizeExpr::ceil_div(a, b), SizeExpr(static_cast<int64_t>(std::ceil(q))))
          << a << "/" << b;
    }
  }
}

// Simplification must never change the value: random expressions against direct evaluation.
TEST(SizeExpr, SimplifiedFormsEvaluateAlike) {
  for (int64_t n = 0; n < 20; ++n) {
    for (int64_t h = 1; h < 9; ++h) {
      const SizeExpr::Bindings at{{"N", n}, {"H", h}};
      EXPECT_EQ(parse("floordiv(4*N + H + 7, 4)").evaluate(at), (4 * n + h + 7) / 4);
      EXPECT_EQ(parse("ceildiv(N, H)").evaluate(at), (n + h - 1) / h);
      EXPECT_EQ(parse("mod(N, H) + H*floordiv(N, H)").evaluate(at), n);
      EXPECT_EQ(parse("max(N, H) + min(N, H)").evaluate(at), n + h);
    }
  }
}

TEST(SizeExpr, SubstitutesAndCompares) {
  EXPECT_EQ(parse("floordiv(H, 2)").substitute({{"H", parse("2*K")}}), parse("K"));
  EXPECT_EQ(equal(parse("N + 1"), parse("N")), Tri::kNo);
  EXPECT_EQ(equal(parse("N"), parse("M")), Tri::kUnknown);
  EXPECT_EQ(equal(parse("N + M"), parse("M + N")), Tri::kYes);
}

TEST(SizeExpr, MistakesAndOverflowAreErrors) {
  for (const char* text : {"", "N +", "foo(a, b)", "floordiv(a)", "a b", "99999999999999999999"}) {
    EXPECT_THROW(parse(text), Error) << text;
  }
  EXPECT_THROW(SizeExpr(INT64_MAX) + SizeExpr(1), Error);
  EXPECT_THROW(parse("N").evaluate({}), Error);
}

}  // namespace
}  // namespace planish
