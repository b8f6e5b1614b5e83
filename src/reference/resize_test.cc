#include "reference/test_call.h"

namespace planish::reference {
namespace {

std::vector<double> resize(const Tensor& x,
                           const Value& scales,
                           const Value& sizes,
                           std::vector<std::pair<std::string, Attribute>> list) {
  return numbers(evaluate("Resize", {x, Value(), scales, sizes}, attributes(std::move(list)))[0]);
}

TEST(Resize, NearestTiesFollowTheMode) {
  // 6 of 20 by size: output 4 lies at exactly 14.5.
  std::vector<float> ramp(20);
  for (size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i);
  const Tensor x = floats({20}, ramp);
  EXPECT_EQ(
      resize(x, Value(), ints({1}, {6}), {{"nearest_mode", std::string("round_prefer_floor")}})[4],
      14);
  EXPECT_EQ(
      resize(x, Value(), ints({1}, {6}), {{"nearest_mode", std::string("round_prefer_ceil")}})[4],
      15);
  EXPECT_EQ(resize(x, Value(), ints({1}, {6}), {{"nearest_mode", std::string("floor")}})[1], 4);
  EXPECT_EQ(resize(x, Value(), ints({1}, {6}), {{"nearest_mode", std::string("ceil")}})[1], 5);
}

TEST(Resize, LengthsAreFloat32Products) {
  // 0.7f is a little less than 0.7, but 10 * 0.7f rounds to 7.
  EXPECT_EQ(resize(floats({10}, std::vector<float>(10)), floats({1}, {0.7f}), Value(), {}).size(),
            7u);
}

TEST(Resize, AScaleStandsForTheSimpleFractionNextToIt) {
  // 3 / 0.6f in double is a hair under 5.
  const std::vector<double> y =
      resize(floats({7}, {0, 1, 2, 3, 4, 5, 6}), floats({1}, {0.6f}), Value(),
             {{"coordinate_transformation_mode", std::string("asymmetric")},
              {"nearest_mode", std::string("floor")}});
  EXPECT_THAT(y, ElementsAre(0, 1, 3, 5));
}

TEST(Resize, LinearCoordinatesOfEachTransformation) {
  const Tensor x = floats({2}, {0, 8});
  const auto run = [&](const char* mode) {
    return resize(
        x, floats({1}, {2}), Value(),
        {{"mode", std::string("linear")}, {"coordinate_transformation_mode", std::string(mode)}});
  };
  EXPECT_THAT(run("half_pixel"), ElementsAre(0, 2, 6, 8));
  EXPECT_THAT(run("asymmetric"), ElementsAre(0, 4, 8, 8));
  EXPECT_THAT(resize(floats({3}, {0, 8, 16}), Value(), ints({1}, {5}),
                     {{"mode", std::string("linear")},
                      {"coordinate_transformation_mode", std::string("align_corners")}}),
              ElementsAre(0, 4, 8, 12, 16));
}

TEST(Resize, AntialiasAveragesWhatItDrops) {
  EXPECT_THAT(resize(floats({4}, {4, 4, 4, 4}), Value(), ints({1}, {2}),
                     {{"mode", std::string("linear")}, {"antialias", int64_t{1}}}),
              ElementsAre(4, 4));
  const std::vector<double> y =
      resize(floats({4}, {0, 0, 8, 8}), Value(), ints({1}, {1}),
             {{"mode", std::string("linear")}, {"antialias", int64_t{1}}});
  EXPECT_NEAR(y[0], 4, 1e-6);
}

TEST(Resize, CubicKeepsConstantsAndExcludesOutsideOnRequest) {
  const Tensor x = floats({4}, {2, 2, 2, 2});
  for (const int64_t exclude : {0, 1}) {
    for (const double v : resize(x, floats({1}, {1.5f}), Value(),
                                 {{"mode", std::string("cubic")}, {"exclude_outside", exclude}})) {
      EXPECT_NEAR(v, 2, 1e-6);
    }
  }
}

TEST(Resize, AspectPoliciesAndAxes) {
  const Tensor x = floats({1, 2, 4}, std::vector<float>(8, 1));
  const auto shape = [&](const char* policy) {
    return evaluate("Resize", {x, Value(), Value(), ints({2}, {4, 4})},
                    attributes({{"axes", Ints{1, 2}},
                                {"keep_aspect_ratio_policy", std::string(policy)}}))[0]
        .tensor()
        .dims();
  };
  EXPECT_EQ(shape("stretch"), (Dims{1, 4, 4}));
  EXPECT_EQ(shape("not_larger"), (Dims{1, 2, 4}));
  EXPECT_EQ(shape("not_smaller"), (Dims{1, 4, 8}));
}

TEST(Resize, CropsToARegionAndFillsTheOutside) {
  const Attributes a =
      attributes({{"mode", std::string("linear")},
                  {"coordinate_transformation_mode", std::string("tf_crop_and_resize")},
                  {"extrapolation_value", -1.0f}});
  const Value y = evaluate(
      "Resize", {floats({3}, {0, 10, 20}), floats({2}, {0.5f, 1.5f}), Value(), ints({1}, {3})},
      a)[0];
  EXPECT_THAT(numbers(y), ElementsAre(10, 20, -1));
}

TEST(Resize, NearestMovesAnyType) {
  const Value y =
      evaluate("Resize", {Tensor::from_strings({2}, {"a", "b"}), Value(), floats({1}, {2})})[0];
  EXPECT_THAT(y.tensor().strings(), ElementsAre("a", "a", "b", "b"));
}

TEST(Resize, ContradictionsAreRefused) {
  const Tensor x = floats({2}, {1, 2});
  EXPECT_THAT(error_of([&] { resize(x, Value(), Value(), {}); }), HasSubstr("exactly one"));
  EXPECT_THAT(error_of([&] { resize(x, floats({1}, {-1}), Value(), {}); }), HasSubstr("positive"));
  EXPECT_THAT(error_of([&] { resize(x, floats({2}, {1, 1}), Value(), {}); }), HasSubstr("axes"));
  EXPECT_THAT(error_of([&] { resize(x, Value(), ints({1}, {int64_t{1} << 45}), {}); }),
              HasSubstr("limit"));
  EXPECT_EQ(evaluate("Resize",
                     {floats({0, 1}, {}), Value(), Value(), ints({2}, {0, int64_t{1} << 60})})[0]
                .tensor()
                .size(),
            0);
}

}  // namespace
}  // namespace planish::reference
