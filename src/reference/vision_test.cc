#include <limits>

#include "reference/test_call.h"

namespace planish::reference {
namespace {

TEST(GridSample, CoordinatesRunFromEdgeToEdge) {
  const Tensor x = floats({1, 1, 1, 4}, {0, 10, 20, 30});
  const auto run = [&](std::vector<float> at, std::vector<std::pair<std::string, Attribute>> list) {
    const auto n = static_cast<int64_t>(at.size());
    std::vector<float> grid;
    for (const float v : at) grid.insert(grid.end(), {v, 0});  // x, then y
    return numbers(
        evaluate("GridSample", {x, floats({1, 1, n, 2}, grid)}, attributes(std::move(list)))[0]);
  };
  // Pixel centres lie at -0.75, -0.25, 0.25, 0.75; with align_corners at -1, -1/3, 1/3, 1.
  EXPECT_THAT(run({-0.75f, 0, 1}, {}), ElementsAre(0, 15, 15));
  EXPECT_THAT(run({-1, 0, 1}, {{"align_corners", int64_t{1}}}), ElementsAre(0, 15, 30));
  EXPECT_THAT(run({-3, 3}, {{"padding_mode", std::string("border")}}), ElementsAre(0, 30));
  EXPECT_THAT(
      run({1.25f}, {{"padding_mode", std::string("reflection")}, {"mode", std::string("nearest")}}),
      ElementsAre(30));
}

TEST(GridSample, CoordinatesThatAreNoNumbersDoNoHarm) {
  const Tensor x = floats({1, 1, 2, 2}, {1, 2, 3, 4});
  const float inf = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor grid = floats({1, 1, 3, 2}, {inf, 0, -inf, inf, nan, nan});
  for (const char* padding : {"zeros", "border", "reflection"}) {
    for (const char* mode : {"nearest", "linear", "cubic"}) {
      EXPECT_EQ(numbers(evaluate("GridSample", {x, grid},
                                 attributes({{"padding_mode", std::string(padding)},
                                             {"mode", std::string(mode)}}))[0])
                    .size(),
                3u);
    }
  }
}

TEST(RoiAlign, SamplesAreBilinear) {
  const Tensor x = floats({1, 1, 2, 2}, {1, 2, 3, 4}), batch = ints({1}, {0});
  const Attributes one = attributes({{"sampling_ratio", int64_t{1}}});
  EXPECT_THAT(numbers(evaluate("RoiAlign", {x, floats({1, 4}, {0, 0, 2, 2}), batch}, one)[0]),
              ElementsAre(2.5));
  EXPECT_THAT(error_of([&] {
                evaluate("RoiAlign", {x, floats({1, 4}, {0, 0, 2, 2}), ints({1}, {1})}, one);
              }),
              HasSubstr("batch index 1"));
  EXPECT_THAT(error_of([&] { evaluate("RoiAlign", {x, floats({1, 4}, {0, 0, 1e30f, 2}), batch}); }),
              HasSubstr("not finite"));
  evaluate("RoiAlign", {x, floats({1, 4}, {0, 0, -1e30f, 2}), batch});  // an empty bin, not a crash
}

TEST(NonMaxSuppression, TakesTheBestAndDropsWhatOverlaps) {
  const Tensor boxes = floats({1, 3, 4}, {0, 0, 1, 1, 1, 1, 0, 0.1f, 0, 2, 1, 3}),
               scores = floats({1, 1, 3}, {0.8f, 0.9f, 0.7f});
  const auto run = [&](int64_t most, float iou) {
    return numbers(
        evaluate("NonMaxSuppression", {boxes, scores, ints({1}, {most}), floats({1}, {iou})})[0]);
  };
  EXPECT_THAT(run(5, 0.5f), ElementsAre(0, 0, 1, 0, 0, 2));
  EXPECT_THAT(run(5, 1), ElementsAre(0, 0, 1, 0, 0, 0, 0, 0, 2));
  EXPECT_THAT(run(1, 0.5f), ElementsAre(0, 0, 1));
  EXPECT_THAT(run(0, 0.5f), ElementsAre());
}

TEST(Selection, CompressReverseAndUnpool) {
  const Tensor x = floats({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(numbers(evaluate("Compress", {x, Tensor::of<bool>({2}, {false, true})},
                               attributes({{"axis", int64_t{1}}}))[0]),
              ElementsAre(2, 4));
  EXPECT_THAT(numbers(evaluate("Compress", {x, Tensor::of<bool>({3}, {true, false, true})})[0]),
              ElementsAre(1, 3));
  EXPECT_THAT(numbers(evaluate("ReverseSequence", {x, ints({2}, {2, 1})})[0]),
              ElementsAre(3, 2, 1, 4));
  const Attributes pool = attributes({{"kernel_shape", Ints{2}}, {"strides", Ints{2}}});
  EXPECT_THAT(
      numbers(evaluate("MaxUnpool", {floats({1, 1, 2}, {5, 6}), ints({1, 1, 2}, {1, 2})}, pool)[0]),
      ElementsAre(0, 5, 6, 0));
  EXPECT_THAT(error_of([&] {
                evaluate("MaxUnpool", {floats({1, 1, 1}, {5}), ints({1, 1, 1}, {2})}, pool);
              }),
              HasSubstr("index 2"));
}

}  // namespace
}  // namespace planish::reference
