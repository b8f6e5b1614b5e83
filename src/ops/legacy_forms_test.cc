// Old forms of the contraction, normalisation, resize and tree operators, as they run after import.
#include "ops/test_graphs.h"
#include "ops/upgrade.h"

namespace planish::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Legacy {
  std::string op;
  int opset;
  std::vector<std::pair<std::string, Attribute>> attributes;
  std::string domain = "";
};

// Runs the upgraded node on constants-as-inputs.
std::vector<Value> upgraded(const Legacy& legacy,
                            const std::vector<Tensor>& inputs,
                            size_t outputs = 1,
                            bool constants = false) {
  ir::Graph g("g");
  ir::Node node;
  node.domain = legacy.domain;
  node.op = legacy.op;
  node.name = "old";
  std::vector<Value> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Shape shape;
    for (const int64_t d : inputs[i].dims()) shape.push_back(d);
    if (constants && i > 0) {
      node.inputs.push_back(g.add_constant(fmt::format("in{}", i), inputs[i]));
    } else {
      node.inputs.push_back(
          g.add_input(fmt::format("in{}", i), Type::tensor(inputs[i].dtype(), std::move(shape))));
      values.emplace_back(inputs[i]);
    }
  }
  for (size_t i = 0; i < outputs; ++i) node.outputs.push_back(g.add_value(fmt::format("out{}", i)));
  for (const auto& [name, value] : legacy.attributes) node.attributes.set(name, value);
  const std::vector<ir::ValueId> made = node.outputs;
  add_upgraded(g, std::move(node), legacy.opset);
  for (const ir::ValueId id : made) g.add_output(id);
  ir::verify(g);
  return run(g, values);
}

Tensor floats(Dims dims, std::vector<float> values) {
  return Tensor::of<float>(std::move(dims), std::span<const float>(values));
}

TEST(LegacyForms, SoftmaxOverTheRestOfTheShape) {
  const Tensor x = floats({1, 2, 2}, {0, 0, 0, 0});
  EXPECT_THAT(floats_of(upgraded({"Softmax", 11, {}}, {x})[0]),
              ElementsAre(0.25f, 0.25f, 0.25f, 0.25f));
  EXPECT_THAT(floats_of(upgraded({"Softmax", 11, {{"axis", int64_t{2}}}}, {x})[0]),
              ElementsAre(0.5f, 0.5f, 0.5f, 0.5f));
  EXPECT_THAT(floats_of(upgraded({"Softmax", 13, {}}, {x})[0]),
              ElementsAre(0.5f, 0.5f, 0.5f, 0.5f));
  EXPECT_THAT(floats_of(upgraded({"Hardmax", 9, {}}, {x})[0]), ElementsAre(1, 0, 0, 0));
}

TEST(LegacyForms, GemmWithBroadcast) {
  const auto y = upgraded({"Gemm", 6, {{"broadcast", int64_t{1}}}},
                          {floats({1, 1}, {2}), floats({1, 2}, {3, 4}), floats({2}, {1, 1})});
  EXPECT_THAT(floats_of(y[0]), ElementsAre(7, 9));
}

TEST(LegacyForms, BatchNormalizationTestModeAndPerActivation) {
  const std::vector<Tensor> channel = {floats({1, 1, 2}, {1, 3}), floats({1}, {1}),
                                       floats({1}, {5}), floats({1}, {1}), floats({1}, {1})};
  EXPECT_THAT(floats_of(upgraded(
                  {"BatchNormalization",
                   6,
                   {{"is_test", int64_t{1}}, {"epsilon", 0.0f}, {"consumed_inputs", Ints{0, 0}}}},
                  channel)[0]),
              ElementsAre(5, 7));
  const std::vector<Tensor> cells = {floats({1, 1, 2}, {1, 3}), floats({1, 2}, {1, 2}),
                                     floats({1, 2}, {0, 0}), floats({1, 2}, {0, 1}),
                                     floats({1, 2}, {4, 1})};
  EXPECT_THAT(
      floats_of(upgraded({"BatchNormalization", 7, {{"spatial", int64_t{0}}, {"epsilon", 0.0f}}},
                         cells)[0]),
      ElementsAre(0.5f, 4));
  // Naming the running statistics asked for training.
  EXPECT_THAT(floats_of(upgraded({"BatchNormalization", 9, {{"epsilon", 0.0f}, {"momentum", 0.5f}}},
                                 channel, 3)[1]),
              ElementsAre(1.5f));
}

TEST(LegacyForms, UpsampleAndResizeOfOpset10) {
  const Tensor x = floats({1, 1, 1, 2}, {1, 2});
  EXPECT_THAT(
      floats_of(upgraded({"Upsample", 1, {{"height_scale", 1.0f}, {"width_scale", 2.0f}}}, {x})[0]),
      ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(
      floats_of(upgraded(
          {"Upsample", 7, {{"scales", Floats{1, 1, 1, 2}}, {"mode", std::string("linear")}}},
          {x})[0]),
      ElementsAre(1, 1.5f, 2, 2));
  EXPECT_THAT(floats_of(upgraded({"Upsample", 9, {}}, {x, floats({4}, {1, 1, 1, 2})}, 1, true)[0]),
              ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(floats_of(upgraded({"Resize", 10, {}},
                                 {floats({1, 1, 1, 4}, {1, 2, 3, 4}), floats({4}, {1, 1, 1, 0.6f})},
                                 1, true)[0]),
              ElementsAre(1, 3));
}

TEST(LegacyForms, ResizeOfOpset10RoundsUpAlongAxesThatShrink) {
  const Tensor x = floats({1, 1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto y = upgraded({"Resize", 10, {}}, {x, floats({4}, {1, 1, 0.6f, 2})}, 1, true);
  EXPECT_THAT(floats_of(y[0]), ElementsAre(1, 1, 2, 2, 5, 5, 6, 6));
}

TEST(LegacyForms, GroupNormalizationPerGroup) {
  const auto y =
      upgraded({"GroupNormalization", 18, {{"num_groups", int64_t{1}}, {"epsilon", 0.0f}}},
               {floats({1, 2, 1}, {1, 3}), floats({1}, {2}), floats({1}, {1})});
  EXPECT_THAT(floats_of(y[0]), ElementsAre(-1, 3));
}

TEST(LegacyForms, NormOrdersThatWereFloats) {
  EXPECT_THAT(
      floats_of(upgraded({"GlobalLpPool", 1, {{"p", 1.0f}}}, {floats({1, 1, 2}, {3, -4})})[0]),
      ElementsAre(7));
  EXPECT_THAT(
      message_of(ErrorCode::kUnsupported,
                 [] { upgraded({"GlobalLpPool", 1, {{"p", 1.5f}}}, {floats({1, 1, 1}, {1})}); }),
      HasSubstr("1.5"));
}

TEST(LegacyForms, LabelEncoderOfOneList) {
  const auto y =
      upgraded({"LabelEncoder", 1, {{"classes_strings", Strings{"a", "b"}}}, "ai.onnx.ml"},
               {Tensor::from_strings({3}, {"b", "x", "a"})});
  EXPECT_EQ(ints_of(y[0]), (std::vector<int64_t>{1, -1, 0}));
}

TEST(LegacyForms, RoiAlignBeforeTheHalfPixel) {
  // A region of no extent was taken as one pixel wide.
  const std::vector<Tensor> in = {floats({1, 1, 2, 2}, {1, 2, 3, 4}), floats({1, 4}, {0, 0, 0, 0}),
                                  Tensor::of<int64_t>({1}, {0})};
  EXPECT_THAT(floats_of(upgraded({"RoiAlign", 10, {{"sampling_ratio", int64_t{1}}}}, in)[0]),
              ElementsAre(2.5f));
  EXPECT_THAT(floats_of(upgraded({"RoiAlign", 16, {{"sampling_ratio", int64_t{1}}}}, in)[0]),
              ElementsAre(1));
}

// The operators that left with opset 10. Expected: ONNX Runtime 1.32.
TEST(LegacyForms, ExperimentalPointwise) {
  const Tensor x = floats({3}, {-1, 0, 2});
  EXPECT_THAT(floats_of(upgraded({"Affine", 1, {{"alpha", 2.0f}, {"beta", 3.0f}}}, {x})[0]),
              ElementsAre(1, 3, 7));
  EXPECT_THAT(floats_of(upgraded({"Affine", 9, {}}, {x})[0]), ElementsAre(-1, 0, 2));
  EXPECT_THAT(floats_of(upgraded({"Scale", 6, {{"scale", 0.5f}}}, {x})[0]),
              ElementsAre(-0.5f, 0, 1));
  const auto tanh = floats_of(
      upgraded({"ScaledTanh", 1, {{"alpha", 2.0f}, {"beta", 3.0f}}}, {floats({2}, {-1, 0})})[0]);
  EXPECT_FLOAT_EQ(tanh[0], -1.9901094f);
  EXPECT_EQ(tanh[1], 0);
  const auto plus = floats_of(upgraded({"ParametricSoftplus", 1, {{"alpha", 2.0f}, {"beta", 3.0f}}},
                                       {floats({3}, {-1, 0, 1})})[0]);
  EXPECT_NEAR(plus[0], 0.0971747, 1e-7);
  EXPECT_FLOAT_EQ(plus[1], 1.3862944f);
  EXPECT_FLOAT_EQ(plus[2], 6.0971747f);
  for (const char* op : {"ScaledTanh", "ParametricSoftplus"}) {
    EXPECT_THAT(
        message_of(ErrorCode::kInvalidModel, [&] { upgraded({op, 1, {{"alpha", 1.0f}}}, {x}); }),
        HasSubstr("beta"));
  }
}

TEST(LegacyForms, ExperimentalPictures) {
  const Tensor x = floats({1, 2, 2, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  EXPECT_THAT(
      floats_of(upgraded({"ImageScaler", 1, {{"scale", 2.0f}, {"bias", Floats{1, -1}}}}, {x})[0]),
      ElementsAre(1, 3, 5, 7, 9, 11, 11, 13, 15, 17, 19, 21));
  EXPECT_THAT(message_of(ErrorCode::kInvalidModel,
                         [&] { upgraded({"ImageScaler", 1, {{"bias", Floats{1}}}}, {x}); }),
              HasSubstr("1 bias entries for 2 channels"));
  // left 1, top 0, right 0, bottom 1
  const auto cut = upgraded({"Crop", 1, {{"border", Ints{1, 0, 0, 1}}}}, {x});
  EXPECT_EQ(cut[0].tensor().dims(), (Dims{1, 2, 1, 2}));
  EXPECT_THAT(floats_of(cut[0]), ElementsAre(1, 2, 7, 8));
  // height 2, width 1 from column 2 on
  const auto window =
      upgraded({"Crop", 9, {{"border", Ints{2, 0, 0, 0}}, {"scale", Ints{2, 1}}}}, {x});
  EXPECT_EQ(window[0].tensor().dims(), (Dims{1, 2, 2, 1}));
  EXPECT_THAT(floats_of(window[0]), ElementsAre(2, 5, 8, 11));
  EXPECT_THAT(message_of(ErrorCode::kInvalidModel,
                         [&] { upgraded({"Crop", 1, {{"border", Ints{2, 0, 2, 0}}}}, {x}); }),
              HasSubstr("columns"));
  EXPECT_THAT(message_of(ErrorCode::kInvalidModel,
                         [&] { upgraded({"Crop", 1, {{"border", Ints{1, 1}}}}, {x}); }),
              HasSubstr("border of 4"));
}

TEST(LegacyForms, DynamicSliceIsSlice) {
  const Tensor x = floats({2, 3}, {0, 1, 2, 3, 4, 5});
  const auto ints = [](std::vector<int64_t> v) {
    return Tensor::of<int64_t>({static_cast<int64_t>(v.size())}, std::span<const int64_t>(v));
  };
  for (const bool constants : {false, true}) {
    EXPECT_THAT(floats_of(upgraded({"DynamicSlice", 1, {}}, {x, ints({-2}), ints({100}), ints({1})},
                                   1, constants)[0]),
                ElementsAre(1, 2, 4, 5));
    EXPECT_THAT(floats_of(upgraded({"DynamicSlice", 9, {}}, {x, ints({1, 0}), ints({2, -1})}, 1,
                                   constants)[0]),
                ElementsAre(3, 4));
  }
}

TEST(LegacyForms, GivenTensorFillTakesItsShapeFromThreePlaces) {
  const std::pair<std::string, Attribute> values{"values", Floats{1, 2, 3, 4}};
  const auto check = [](const std::vector<Value>& y, Dims dims) {
    EXPECT_EQ(y[0].tensor().dims(), dims);
    EXPECT_THAT(floats_of(y[0]), ElementsAre(1, 2, 3, 4));
  };
  check(upgraded({"GivenTensorFill", 1, {values, {"shape", Ints{2, 2}}}}, {}), {2, 2});
  check(upgraded({"GivenTensorFill", 1, {values}}, {floats({4, 1}, {9, 9, 9, 9})}), {4, 1});
  check(upgraded({"GivenTensorFill", 1, {values, {"extra_shape", Ints{2}}}}, {floats({2}, {9, 9})}),
        {2, 2});
  check(upgraded({"GivenTensorFill", 1, {values, {"input_as_shape", int64_t{1}}}},
                 {Tensor::of<int64_t>({2}, {1, 4})}, 1, false),
        {1, 4});
  EXPECT_THAT(
      message_of(ErrorCode::kInvalidModel, [&] { upgraded({"GivenTensorFill", 1, {values}}, {}); }),
      HasSubstr("'shape'"));
}

}  // namespace
}  // namespace planish::ops
