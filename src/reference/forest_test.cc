#include <cmath>
#include <limits>

#include "reference/test_call.h"

namespace planish::reference {
namespace {

constexpr std::string_view kMl = "ai.onnx.ml";

// One stump: feature 0 <= 1 goes to leaf 1, else to leaf 2.
std::vector<std::pair<std::string, Attribute>> stump() {
  return {
      {"nodes_treeids", Ints{0, 0, 0}},     {"nodes_nodeids", Ints{0, 1, 2}},
      {"nodes_featureids", Ints{0, 0, 0}},  {"nodes_modes", Strings{"BRANCH_LEQ", "LEAF", "LEAF"}},
      {"nodes_values", Floats{1, 0, 0}},    {"nodes_truenodeids", Ints{1, 0, 0}},
      {"nodes_falsenodeids", Ints{2, 0, 0}}};
}

Attributes regressor(std::vector<std::pair<std::string, Attribute>> extra) {
  auto list = stump();
  list.insert(list.end(), {{"target_treeids", Ints{0, 0}},
                           {"target_nodeids", Ints{1, 2}},
                           {"target_ids", Ints{0, 0}},
                           {"target_weights", Floats{10, 20}}});
  list.insert(list.end(), extra.begin(), extra.end());
  return attributes(list);
}

TEST(Trees, RegressorBranchesBaseAndTransform) {
  const Tensor x = floats({2, 1}, {1, 1.5f});
  EXPECT_THAT(numbers(evaluate("TreeEnsembleRegressor", {x}, regressor({}), 1, kMl)[0]),
              ElementsAre(10, 20));
  EXPECT_THAT(numbers(evaluate("TreeEnsembleRegressor", {x},
                               regressor({{"base_values", Floats{0.5f}}}), 1, kMl)[0]),
              ElementsAre(10.5, 20.5));
  EXPECT_NEAR(
      numbers(evaluate("TreeEnsembleRegressor", {x},
                       regressor({{"post_transform", std::string("LOGISTIC")}}), 1, kMl)[0])[0],
      1 / (1 + std::exp(-10.0)), 1e-7);
}

TEST(Trees, AMissingFeatureFollowsItsFlag) {
  const Tensor x = floats({1, 1}, {std::numeric_limits<float>::quiet_NaN()});
  EXPECT_THAT(numbers(evaluate("TreeEnsembleRegressor", {x}, regressor({}), 1, kMl)[0]),
              ElementsAre(20));
  EXPECT_THAT(
      numbers(evaluate("TreeEnsembleRegressor", {x},
                       regressor({{"nodes_missing_value_tracks_true", Ints{1, 0, 0}}}), 1, kMl)[0]),
      ElementsAre(10));
}

Attributes classifier(Ints ids,
                      Floats weights,
                      std::vector<std::pair<std::string, Attribute>> extra) {
  auto list = stump();
  list.insert(list.end(), {{"class_treeids", Ints(ids.size(), 0)},
                           {"class_nodeids", ids.size() == 2 ? Ints{1, 2} : Ints{1, 1, 2, 2}},
                           {"class_ids", ids},
                           {"class_weights", weights}});
  list.insert(list.end(), extra.begin(), extra.end());
  return attributes(list);
}

TEST(Trees, ClassifierScoresAndLabels) {
  const Tensor x = floats({2, 1}, {0, 2});
  const std::vector<Value> two =
      evaluate("TreeEnsembleClassifier", {x},
               classifier({0, 1, 0, 1}, {0.75f, 0.25f, 0.25f, 0.75f},
                          {{"classlabels_strings", Strings{"no", "yes"}}}),
               2, kMl);
  EXPECT_THAT(two[0].tensor().strings(), ElementsAre("no", "yes"));
  EXPECT_THAT(numbers(two[1]), ElementsAre(0.75, 0.25, 0.25, 0.75));
}

TEST(Trees, OneScoreForTwoClasses) {
  const Tensor x = floats({2, 1}, {0, 2});
  const auto run = [&](Floats weights, const char* transform) {
    return evaluate("TreeEnsembleClassifier", {x},
                    classifier({0, 0}, std::move(weights),
                               {{"classlabels_int64s", Ints{3, 4}},
                                {"post_transform", std::string(transform)}}),
                    2, kMl);
  };
  // All positive: a probability.
  EXPECT_THAT(numbers(run({0.25f, 0.75f}, "NONE")[0]), ElementsAre(3, 4));
  EXPECT_THAT(numbers(run({0.25f, 0.75f}, "NONE")[1]), ElementsAre(0.75, 0.25, 0.25, 0.75));
  // Otherwise a margin.
  const std::vector<Value> margin = run({-2, 2}, "LOGISTIC");
  EXPECT_THAT(numbers(margin[0]), ElementsAre(3, 4));
  EXPECT_NEAR(numbers(margin[1])[1], 1 / (1 + std::exp(2.0)), 1e-7);
  EXPECT_NEAR(numbers(margin[1])[3], 1 / (1 + std::exp(-2.0)), 1e-7);
}

TEST(Trees, BrokenTreesAreRefused) {
  const Tensor x = floats({1, 1}, {0});
  const auto message = [&](std::vector<std::pair<std::string, Attribute>> extra) {
    return error_of(
        [&] { evaluate("TreeEnsembleRegressor", {x}, regressor(std::move(extra)), 1, kMl); });
  };
  EXPECT_THAT(message({{"nodes_truenodeids", Ints{9, 0, 0}}}), HasSubstr("no node 9"));
  EXPECT_THAT(message({{"nodes_featureids", Ints{5, 0, 0}}}), HasSubstr("feature 5"));
  EXPECT_THAT(message({{"target_ids", Ints{0, 7}}}), HasSubstr("target 7"));
  EXPECT_THAT(message({{"nodes_modes", Strings{"BRANCH_LEQ", "BRANCH_LEQ", "LEAF"}},
                       {"nodes_truenodeids", Ints{1, 1, 0}},
                       {"nodes_falsenodeids", Ints{2, 1, 0}}}),
              HasSubstr("cycle"));
  EXPECT_THAT(message({{"nodes_values", Floats{1}}}), HasSubstr("differ in length"));
}

TEST(ZipMap, OneMapPerRow) {
  const Value maps = evaluate("ZipMap", {floats({2, 2}, {1, 2, 3, 4})},
                              attributes({{"classlabels_int64s", Ints{5, 6}}}), 1, kMl)[0];
  ASSERT_EQ(maps.sequence().size(), 2u);
  EXPECT_THAT(to_ints(maps.sequence()[1].map().keys), ElementsAre(5, 6));
  EXPECT_THAT(to_doubles(maps.sequence()[1].map().values), ElementsAre(3, 4));
  EXPECT_THAT(error_of([] {
                evaluate("ZipMap", {floats({1, 3}, {1, 2, 3})},
                         attributes({{"classlabels_int64s", Ints{5, 6}}}), 1, kMl);
              }),
              HasSubstr("2 scores"));
}

TEST(LabelEncoder, DefaultsAndNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Value y = evaluate(
      "LabelEncoder", {floats({3}, {1, nan, 2})},
      attributes({{"keys_floats", Floats{1, nan}}, {"values_strings", Strings{"one", "none"}}}), 1,
      kMl)[0];
  EXPECT_THAT(y.tensor().strings(), ElementsAre("one", "none", "_Unused"));
}

TEST(Linear, ClassifierAndRegressor) {
  const Tensor x = floats({2, 2}, {1, 2, -3, 1});
  EXPECT_THAT(
      numbers(evaluate("LinearRegressor", {x},
                       attributes({{"coefficients", Floats{1, 10}}, {"intercepts", Floats{0.5f}}}),
                       1, kMl)[0]),
      ElementsAre(21.5, 7.5));
  const std::vector<Value> y = evaluate("LinearClassifier", {x},
                                        attributes({{"coefficients", Floats{1, 0, 0, 1}},
                                                    {"intercepts", Floats{0, 0}},
                                                    {"classlabels_ints", Ints{7, 8}}}),
                                        2, kMl);
  EXPECT_THAT(numbers(y[0]), ElementsAre(8, 8));
  EXPECT_THAT(numbers(y[1]), ElementsAre(1, 2, -3, 1));
}

}  // namespace
}  // namespace planish::reference
