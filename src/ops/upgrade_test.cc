#include "ops/upgrade.h"

#include <ctime>

#include "ops/test_graphs.h"

namespace planish::ops {
namespace {

using ::testing::HasSubstr;

ir::Node make(std::string op, std::vector<ir::ValueId> inputs, std::vector<ir::ValueId> outputs) {
  ir::Node node;
  node.op = std::move(op);
  node.name = "original";
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.provenance = {"onnx_node"};
  return node;
}

TEST(Upgrade, AttributesBecomeInputs) {
  ir::Graph g("g");
  const ir::ValueId x = g.add_input("x", parse_type("float32[N, 2]"));
  const ir::ValueId y = g.add_value("y");
  ir::Node clip = make("Clip", {x}, {y});
  clip.domain = "ai.onnx";
  clip.attributes.set("min", 0.5f);
  clip.attributes.set("max", 1.5f);
  const auto ids = add_upgraded(g, std::move(clip), 6);
  g.add_output(y);
  ir::verify(g);
  const ir::Node& node = g.node(ids.back());
  EXPECT_EQ(node.domain, "");
  EXPECT_EQ(node.name, "original");
  EXPECT_TRUE(node.attributes.empty());
  ASSERT_EQ(node.inputs.size(), 3u);
  EXPECT_EQ(type_of(g, "y"), "float32[N, 2]");
  const auto out = run(g, {Tensor::of<float>({1, 2}, {0, 9})});
  EXPECT_EQ(floats_of(out[0]), (std::vector<float>{0.5f, 1.5f}));
}

TEST(Upgrade, HelpersAroundTheNodeKeepProvenanceAndTheOutput) {
  // Before opset 13 Softmax normalised over all dims from `axis` on, together.
  ir::Graph g("g");
  const ir::ValueId x = g.add_input("x", parse_type("float32[1, 2, 2]"));
  const ir::ValueId y = g.add_value("y");
  g.value(y).onnx_name = "y";
  ir::Node softmax = make("Softmax", {x}, {y});
  const auto ids = add_upgraded(g, std::move(softmax), 11);
  g.add_output(y);
  ir::verify(g);
  EXPECT_GT(ids.size(), 1u);
  EXPECT_EQ(ids, g.order());
  for (const ir::NodeId id : ids) {
    EXPECT_EQ(g.node(id).provenance, std::vector<std::string>{"onnx_node"});
    EXPECT_THAT(g.node(id).name, HasSubstr("original"));
  }
  EXPECT_EQ(g.value(y).producer, ids.back());
  EXPECT_EQ(g.value(y).onnx_name, "y");
  EXPECT_EQ(type_of(g, "y"), "float32[1, 2, 2]");
  const auto out = run(g, {Tensor::of<float>({1, 2, 2}, {0, 0, 0, 0})});
  EXPECT_EQ(floats_of(out[0]), (std::vector<float>(4, 0.25f)));
}

TEST(Upgrade, OpsetMessagesNameTheNumber) {
  const auto message = [](std::string op, int opset) {
    return message_of(ErrorCode::kInvalidModel, [&] {
      ir::Graph g("g");
      const ir::ValueId x = g.add_input("x", parse_type("float32[2]"));
      const ir::ValueId y = g.add_value("y");
      add_upgraded(g, make(op, {x}, {y}), opset);
    });
  };
  const std::string early = message("Mish", 17);
  EXPECT_THAT(early, HasSubstr("node 'original'"));
  EXPECT_THAT(early, HasSubstr("exists from opset 18"));
  EXPECT_THAT(early, HasSubstr("imports opset 17: raise it to 18"));
}

TEST(Upgrade, ErrorsOfCheckAndInferenceComeThrough) {
  ir::Graph g("g");
  const ir::ValueId x = g.add_input("x", parse_type("float32[2]"));
  const ir::ValueId z = g.add_input("z", parse_type("float32[3]"));
  EXPECT_THAT(message_of(ErrorCode::kInvalidModel,
                         [&] { add_upgraded(g, make("Add", {x, z}, {g.add_value("y")}), 14); }),
              HasSubstr("node 'original'"));
  EXPECT_THAT(message_of(ErrorCode::kUnsupported,
                         [&] { add_upgraded(g, make("Adddd", {x}, {g.add_value("y")}), 14); }),
              HasSubstr("nearest: Add"));
}

TEST(Upgrade, TrailingOmittedInputsGo) {
  ir::Graph g("g");
  const ir::ValueId x = g.add_input("x", parse_type("float32[2]"));
  const ir::ValueId y = g.add_value("y");
  const auto ids = add_upgraded(g, make("Clip", {x, ir::kNoValue, ir::kNoValue}, {y}), 13);
  EXPECT_EQ(g.node(ids.back()).inputs.size(), 1u);
}

TEST(Upgrade, LargeGraphsStayFarFromQuadratic) {
  constexpr int kNodes = 100'000;
  const std::clock_t start = std::clock();
  ir::Graph g("g");
  ir::ValueId last = g.add_input("x", parse_type("float32[N, 2]"));
  for (int i = 0; i < kNodes; ++i) {
    const ir::ValueId k = g.add_constant("constant", Tensor::of<float>({2}, {1, 2}));
    const ir::ValueId y = g.add_value("sum");
    ir::Node node = make("Add", {last, k}, {y});
    add_upgraded(g, std::move(node), 14);
    last = y;
  }
  g.add_output(last);
  // CPU time, so that a busy machine does not count: a second in a light build, several under
  // sanitizers; a quadratic step takes minutes.
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 30.0);
}

// Upgrades see nodes that nothing has checked: without inputs, with omitted ones, without outputs.
TEST(Upgrade, NodesWithoutOperandsEndInAnErrorAtEveryOpset) {
  for (const OpDef& def : all()) {
    const int newest = def.domain.empty() ? kNewestOpset : kNewestMlOpset;
    for (int from = def.since; from <= (def.removed != 0 ? def.removed - 1 : newest); ++from) {
      for (const size_t inputs : {0, 1, 4}) {
        for (const size_t outputs : {0, 1, 2}) {
          ir::Graph g("g");
          ir::Node node;
          node.domain = def.domain;
          node.op = def.name;
          node.inputs.assign(inputs, ir::kNoValue);
          for (size_t i = 0; i < outputs; ++i) node.outputs.push_back(g.add_value("y"));
          try {
            add_upgraded(g, std::move(node), from);
          } catch (const Error& error) {
            EXPECT_NE(error.code(), ErrorCode::kInternal)
                << def.name << "-" << from << ": " << error.what();
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace planish::ops
