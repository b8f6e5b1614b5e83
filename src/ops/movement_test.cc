// Shapes and contents through the operators that move data, as exporters write them, and the old
// forms of those operators.
#include "ops/movement.h"

#include "ops/test_graphs.h"
#include "ops/upgrade.h"

namespace planish::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The type of %y after inference of a body over %x.
std::string type_after(const std::string& x, const std::string& body) {
  const auto g = inferred("graph g(%x: " + x + ") {\n" + body + "\n return %y\n}");
  return type_of(*g, "y");
}

TEST(MovementInference, ReshapeKeepsSymbols) {
  const std::string target = "%t = constant int64[3] {0, -1, 64} ";
  EXPECT_EQ(type_after("float32[N, S, 768]", target + "%y = Reshape(%x, %t)"),
            "float32[N, 12*S, 64]");
  EXPECT_EQ(
      type_after("float32[N, 3, H, W]", "%t = constant int64[2] {0, -1} %y = Reshape(%x, %t)"),
      "float32[N, 3*H*W]");
  EXPECT_EQ(type_after("float32[N, 4]", "%t = constant int64[1] {-1} %y = Reshape(%x, %t)"),
            "float32[4*N]");
  EXPECT_THAT(message_of(ErrorCode::kInvalidModel,
                         [] {
                           type_after("float32[2, 3]",
                                      "%t = constant int64[2] {4, 2} %y = Reshape(%x, %t)");
                         }),
              HasSubstr("has 6 elements"));
}

TEST(MovementInference, SliceOfOpenAxes) {
  const auto slice = [](const std::string& x, int64_t start, int64_t end, int64_t step) {
    return type_after(x, fmt::format("%s = constant int64[1] {{{}}} %e = constant int64[1] {{{}}} "
                                     "%a = constant int64[1] {{0}} %p = constant int64[1] {{{}}} "
                                     "%y = Slice(%x, %s, %e, %a, %p)",
                                     start, end, step));
  };
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(slice("float32[10]", 2, -1, 3), "float32[3]");
  EXPECT_EQ(slice("float32[10]", -1, -kEnd, -1), "float32[10]");
  EXPECT_EQ(slice("float32[N]", 0, kEnd, 1), "float32[N]");
  EXPECT_EQ(slice("float32[N]", -1, -kEnd, -1), "float32[N]");
  // Exact for every N, those shorter than the bounds included.
  for (const auto& [start, end, step] : {std::array<int64_t, 3>{1, kEnd, 1},
                                         {0, -1, 1},
                                         {-2, kEnd, 1},
                                         {1, 3, 1},
                                         {-3, -1, 1},
                                         {0, kEnd, 2}}) {
    const Type type = parse_type(slice("float32[N]", start, end, step));
    for (int64_t n = 0; n < 6; ++n) {
      Tensor x(DType::kFloat32, {n});
      const auto g = parsed(
          "graph g(%x: float32[N], %s: int64[1], %e: int64[1], %a: int64[1], "
          "%p: int64[1]) { %y = Slice(%x, %s, %e, %a, %p) return %y }");
      const auto one = [](int64_t v) { return Tensor::of<int64_t>({1}, {v}); };
      const auto y = run(*g, {x, one(start), one(end), one(0), one(step)});
      EXPECT_EQ((*type.shape)[0].evaluate({{"N", n}}), y[0].tensor().size())
          << start << ':' << end << ':' << step << " of " << n;
    }
  }
}

TEST(MovementInference, SplitOfAnOpenAxis) {
  const auto g = inferred(R"(graph g(%x: float32[N, 6]) {
    %a, %b = Split(%x) {axis = 0, num_outputs = 2}
    %c, %d, %e = Split(%x) {axis = 1}
    return %a
  })");
  EXPECT_EQ(type_of(*g, "e"), "float32[N, 2]");
  for (int64_t n = 0; n < 7; ++n) {
    const auto rows = [&](const char* name) {
      return (*g->value(g->find_value(name)).type.shape)[0].evaluate({{"N", n}});
    };
    EXPECT_EQ(rows("a"), (n + 1) / 2);
    EXPECT_EQ(rows("b"), n / 2);
  }
}

TEST(MovementInference, ContentThroughShapeArithmetic) {
  const auto g = inferred(R"(graph g(%x: float32[N, 3, H, W]) {
    %two = constant int64[1] {2}
    %four = constant int64[1] {4}
    %axes = constant int64[1] {0}
    %minus = constant int64[1] {-1}
    %shape = Shape(%x)
    %hw = Slice(%shape, %two, %four, %axes)
    %half = Div(%hw, %two)
    %less = Sub(%hw, %four)
    %quarter = Div(%less, %four)
    %twice = Mul(%half, %two)
    %size = Size(%x)
    %same = Equal(%shape, %minus)
    %h, %w = Split(%hw) {num_outputs = 2}
    %hs = Squeeze(%h, %axes)
    %whole = ReduceProd(%hw) {keepdims = 0}
    %neg = Neg(%hw)
    return %half
  })");
  EXPECT_EQ(content_of(*g, "hw"), "[H, W]");
  EXPECT_EQ(content_of(*g, "half"), "[floordiv(H, 2), floordiv(W, 2)]");
  EXPECT_EQ(content_of(*g, "h"), "[H]");
  EXPECT_EQ(content_of(*g, "hs"), "[H]");
  EXPECT_EQ(content_of(*g, "size"), "[3*H*N*W]");
  EXPECT_EQ(content_of(*g, "whole"), "[H*W]");
  EXPECT_EQ(content_of(*g, "neg"), "[-H, -W]");
  // A size is never -1.
  EXPECT_EQ(content_of(*g, "same"), "[0, 0, 0, 0]");
  // Towards zero: (2 - 4) / 4 is 0, not -1.
  const auto& quarter = g->value(g->find_value("quarter")).symbolic;
  ASSERT_TRUE(quarter);
  for (int64_t h = 0; h < 10; ++h)
    EXPECT_EQ(quarter->elements[0].evaluate({{"H", h}}), (h - 4) / 4) << h;
}

TEST(MovementInference, ExpandAsExportersWriteIt) {
  // Where(shape == -1, 1, shape) is the shape itself.
  const auto g = inferred(R"(graph g(%x: float32[1, 1, S], %m: float32[N, 1, S]) {
    %minus = constant int64[3] {-1, -1, -1}
    %one = constant int64[3] {1, 1, 1}
    %shape = Shape(%m)
    %open = Equal(%shape, %minus)
    %target = Where(%open, %one, %shape)
    %y = Expand(%x, %target)
    return %y
  })");
  EXPECT_EQ(content_of(*g, "target"), "[N, 1, S]");
  EXPECT_EQ(type_of(*g, "y"), "float32[N, 1, S]");
  // Of an unknown target only what cannot grow is known.
  const auto h =
      inferred("graph g(%x: float32[1, 5], %t: int64[3]) { %y = Expand(%x, %t) return %y }");
  EXPECT_THAT(type_of(*h, "y"), HasSubstr(", 5]"));
}

TEST(MovementInference, RangeAndContents) {
  const auto g = inferred(R"(graph g(%x: float32[N]) {
    %zero = constant int64[] {0}
    %one = constant int64[] {1}
    %three = constant int64[] {3}
    %n = Size(%x)
    %all = Range(%zero, %n, %one)
    %known = Range(%one, %three, %one)
    return %all
  })");
  EXPECT_EQ(type_of(*g, "all"), "int64[N]");
  EXPECT_EQ(content_of(*g, "known"), "[1, 2]");
}

// Old forms: the graph of one node of opset `from` over literal inputs, run.
std::vector<Value> run_old(const std::string& op,
                           int from,
                           std::vector<Tensor> inputs,
                           const std::vector<std::pair<const char*, Attribute>>& attributes,
                           size_t outputs = 1) {
  ir::Graph g("g");
  ir::Node node;
  node.op = op;
  std::vector<Value> values;
  for (Tensor& t : inputs) {
    node.inputs.push_back(g.add_input("x", Type::tensor(t.dtype(), to_shape(t.dims()))));
    values.emplace_back(std::move(t));
  }
  for (size_t i = 0; i < outputs; ++i) node.outputs.push_back(g.add_value("y"));
  for (const auto& [name, value] : attributes) node.attributes.set(name, value);
  const std::vector<ir::ValueId> results = node.outputs;
  add_upgraded(g, std::move(node), from);
  for (const ir::ValueId id : results) g.add_output(id);
  ir::verify(g);
  return run(g, values);
}

Tensor floats(Dims dims, std::initializer_list<float> v) {
  return Tensor::of<float>(std::move(dims), v);
}

TEST(OldForms, BroadcastAtAnAxis) {
  const std::vector<Value> y =
      run_old("Add", 6, {floats({2, 2, 1}, {1, 2, 3, 4}), floats({2}, {10, 20})},
              {{"broadcast", int64_t{1}}, {"axis", int64_t{0}}});
  EXPECT_THAT(floats_of(y[0]), ElementsAre(11, 12, 23, 24));
  const std::vector<Value> tail =
      run_old("Mul", 1, {floats({2, 2}, {1, 2, 3, 4}), floats({2}, {10, 20})},
              {{"broadcast", int64_t{1}}, {"consumed_inputs", Ints{0}}});
  EXPECT_THAT(floats_of(tail[0]), ElementsAre(10, 40, 30, 80));
}

TEST(OldForms, SlopeOfOneAxisLiesAlongChannels) {
  const std::vector<Value> y =
      run_old("PRelu", 6, {floats({1, 2, 2}, {-1, -1, -1, 1}), floats({2}, {10, 20})}, {});
  EXPECT_THAT(floats_of(y[0]), ElementsAre(-10, -10, -20, 1));
}

TEST(OldForms, AttributesThatBecameInputs) {
  const Tensor x = floats({1, 3}, {1, 2, 3});
  EXPECT_THAT(floats_of(run_old("Slice", 1, {x},
                                {{"starts", Ints{1}}, {"ends", Ints{3}}, {"axes", Ints{1}}})[0]),
              ElementsAre(2, 3));
  EXPECT_THAT(floats_of(run_old("Pad", 2, {x}, {{"pads", Ints{0, 1, 0, 0}}, {"value", 9.0f}})[0]),
              ElementsAre(9, 1, 2, 3));
  EXPECT_THAT(floats_of(run_old("Pad", 1, {x}, {{"paddings", Ints{0, 0, 0, 1}}})[0]),
              ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(run_old("Squeeze", 11, {x}, {{"axes", Ints{0}}})[0].tensor().dims(), ElementsAre(3));
  EXPECT_THAT(run_old("Unsqueeze", 11, {x}, {{"axes", Ints{0}}})[0].tensor().dims(),
              ElementsAre(1, 1, 3));
  EXPECT_THAT(run_old("Reshape", 1, {x}, {{"shape", Ints{3, 1}}})[0].tensor().dims(),
              ElementsAre(3, 1));
  EXPECT_THAT(floats_of(run_old("ReduceSum", 11, {x}, {{"axes", Ints{1}}})[0]), ElementsAre(6));
  EXPECT_THAT(
      floats_of(run_old("Split", 2, {x}, {{"axis", int64_t{1}}, {"split", Ints{1, 2}}}, 2)[1]),
      ElementsAre(2, 3));
  EXPECT_THAT(ints_of(run_old("TopK", 1, {x}, {{"k", int64_t{2}}}, 2)[1]), ElementsAre(2, 1));
  EXPECT_THAT(floats_of(run_old("Cast", 1, {Tensor::of<int64_t>({1}, {int64_t{2}})},
                                {{"to", std::string("FLOAT")}})[0]),
              ElementsAre(2));
  EXPECT_THAT(floats_of(run_old("Tile", 1, {x, floats({1}, {2}), floats({1}, {1})}, {})[0]),
              ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_THAT(floats_of(run_old("Concat", 1, {x, x}, {})[0]), ElementsAre(1, 2, 3, 1, 2, 3));
}

TEST(OldForms, DropoutMaskHadTheTypeOfTheData) {
  const std::vector<Value> y = run_old("Dropout", 7, {floats({2}, {1, 2})}, {{"ratio", 0.9f}}, 2);
  EXPECT_THAT(floats_of(y[0]), ElementsAre(1, 2));
  EXPECT_THAT(floats_of(y[1]), ElementsAre(1, 1));
}

}  // namespace
}  // namespace planish::ops
