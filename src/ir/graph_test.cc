#include "ir/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <random>

namespace planish::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class F>
std::string message_of(const F& f, ErrorCode code = ErrorCode::kInternal) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

NodeId add(Graph& g, std::string op, std::vector<ValueId> inputs, size_t outputs = 1) {
  Node node;
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  return g.add_node(std::move(node), outputs);
}
ValueId out(const Graph& g, NodeId id, size_t i = 0) { return g.node(id).outputs[i]; }

TEST(Graph, NamesAreMadeUnique) {
  Graph g("main");
  EXPECT_EQ(g.value(g.add_value("x")).name, "x");
  EXPECT_EQ(g.value(g.add_value("x")).name, "x_1");
  EXPECT_EQ(g.value(g.add_value("x_2")).name, "x_2");
  EXPECT_EQ(g.value(g.add_value("x")).name, "x_3");
  EXPECT_FALSE(g.value(g.add_value("")).name.empty());
  EXPECT_EQ(g.find_value("x_1"), 1u);
  EXPECT_EQ(g.find_value("nothing"), kNoValue);
}

TEST(Graph, UsesFollowEveryChange) {
  Graph g;
  const ValueId x = g.add_input("x", Type::tensor(DType::kFloat32));
  const ValueId y = g.add_input("y", Type::tensor(DType::kFloat32));
  const NodeId a = add(g, "Add", {x, x, y});
  EXPECT_THAT(g.value(x).uses, ElementsAre(Use{a, 0}, Use{a, 1}));
  g.remove_input(a, 0);
  EXPECT_THAT(g.value(x).uses, ElementsAre(Use{a, 0}));
  EXPECT_THAT(g.value(y).uses, ElementsAre(Use{a, 1}));
  g.set_input(a, 0, y);
  EXPECT_TRUE(g.value(x).uses.empty());
  g.append_input(a, x);
  g.append_input(a, kNoValue);
  EXPECT_THAT(g.value(x).uses, ElementsAre(Use{a, 2}));
  g.add_output(out(g, a));
  verify(g);
}

TEST(Graph, ReplaceUsesReachesOutputs) {
  Graph g;
  const ValueId x = g.add_input("x", {});
  const NodeId a = add(g, "Identity", {x});
  const NodeId b = add(g, "Relu", {out(g, a)});
  g.add_output(out(g, a));
  g.add_output(out(g, b));
  g.add_output(out(g, a));
  g.replace_uses(out(g, a), x);
  EXPECT_THAT(g.outputs(), ElementsAre(x, out(g, b), x));
  EXPECT_FALSE(g.is_output(out(g, a)));
  EXPECT_TRUE(g.is_output(x));
  g.erase_node(a);
  EXPECT_FALSE(g.alive(a));
  EXPECT_THAT(g.order(), ElementsAre(b));
  EXPECT_THAT(g.value(x).uses, ElementsAre(Use{b, 0}));
  verify(g);
}

TEST(Graph, EraseRefusesWhatIsInUse) {
  Graph g;
  const NodeId a = add(g, "A", {g.add_input("x", {})});
  const NodeId b = add(g, "B", {out(g, a)});
  g.add_output(out(g, b));
  EXPECT_THAT(message_of([&] { g.erase_node(a); }), HasSubstr("'A'"));
  EXPECT_THAT(message_of([&] { g.erase_node(b); }), HasSubstr("in use"));
}

TEST(Graph, ErasedNamesBecomeFreeAndValuesMayReturn) {
  Graph g;
  const ValueId x = g.add_input("x", {});
  const NodeId a = add(g, "A", {x});
  const ValueId v = out(g, a);
  const std::string was = g.value(v).name;
  g.erase_node(a);
  EXPECT_EQ(g.find_value(was), kNoValue);
  Node again;
  again.op = "B";
  again.inputs = {x};
  again.outputs = {v};
  const NodeId b = g.add_node(std::move(again));
  EXPECT_EQ(g.value(v).producer, b);
  EXPECT_EQ(g.find_value(was), v);
  g.add_output(v);
  verify(g);
  // Somebody else took the name in between.
  g.set_output(0, x);
  g.erase_node(b);
  g.add_constant(was, Tensor::scalar(1.0f));
  Node third;
  third.op = "C";
  third.inputs = {x};
  third.outputs = {v};
  g.add_node(std::move(third));
  EXPECT_NE(g.value(v).name, was);
  verify(g);
}

TEST(Graph, InsertBeforeKeepsOrder) {
  Graph g;
  const ValueId x = g.add_input("x", {});
  const NodeId a = add(g, "A", {x});
  const NodeId b = add(g, "B", {out(g, a)});
  Node middle;
  middle.op = "M";
  middle.inputs = {out(g, a)};
  const NodeId m = g.add_node(std::move(middle), 1, b);
  g.set_input(b, 0, out(g, m));
  EXPECT_THAT(g.order(), ElementsAre(a, m, b));
  verify(g);
}

TEST(Graph, MoveOutputFusesTwoNodes) {
  Graph g;
  const NodeId conv = add(g, "Conv", {g.add_input("x", {})});
  const NodeId relu = add(g, "Relu", {out(g, conv)});
  const ValueId y = out(g, relu);
  g.add_output(y);
  g.move_output(y, conv, 0);
  g.erase_node(relu);
  EXPECT_EQ(g.value(y).producer, conv);
  EXPECT_THAT(g.node(conv).outputs, ElementsAre(y));
  verify(g);
}

TEST(Graph, FoldKeepsTheRecipe) {
  Graph g;
  const ValueId c = g.add_constant("c", Tensor::of<float>({2}, {1, -2}));
  const NodeId neg = add(g, "Neg", {c});
  const ValueId folded = out(g, neg);
  const NodeId use = add(g, "Relu", {folded});
  g.add_output(out(g, use));
  std::vector<Tensor> results;
  results.push_back(Tensor::of<float>({2}, {-1, 2}));
  g.fold_node(neg, std::move(results));
  EXPECT_THAT(g.order(), ElementsAre(use));
  EXPECT_THAT(g.fold_order(), ElementsAre(neg));
  EXPECT_FALSE(g.alive(neg));
  EXPECT_TRUE(g.value(folded).is_constant());
  EXPECT_EQ(to_string(g.value(folded).type), "float32[2]");
  EXPECT_THAT(g.value(c).uses, ElementsAre(Use{neg, 0}));
  verify(g);
  const NodeId not_constant = add(g, "Neg", {g.add_input("x", {})});
  EXPECT_THAT(message_of([&] { g.fold_node(not_constant, {Tensor::scalar(1.0f)}); }),
              HasSubstr("not constant"));
  // An unused recipe can go.
  g.replace_uses(folded, c);
  g.erase_node(neg);
  EXPECT_TRUE(g.fold_order().empty());
  verify(g);
}

TEST(Graph, SortIsStableAndNamesCycles) {
  Graph g;
  const ValueId x = g.add_input("x", {});
  const NodeId a = add(g, "A", {x});
  const NodeId b = add(g, "B", {x});
  const NodeId c = add(g, "C", {out(g, a), out(g, b)});
  g.add_output(out(g, c));
  g.sort();
  EXPECT_THAT(g.order(), ElementsAre(a, b, c));
  const NodeId late = add(g, "Late", {x});
  g.set_input(b, 0, out(g, late));
  EXPECT_THAT(message_of([&] { verify(g); }), HasSubstr("before it is made"));
  g.sort();
  EXPECT_THAT(g.order(), ElementsAre(a, late, b, c));
  verify(g);
  g.set_input(late, 0, out(g, c));
  const std::string message = message_of([&] { g.sort(); }, ErrorCode::kInvalidModel);
  EXPECT_THAT(message, HasSubstr("cycle through 3"));
  EXPECT_THAT(message, HasSubstr("'Late'"));
}

TEST(Graph, FreshSymbolsAvoidThoseInUse) {
  Graph g;
  g.add_input("x", parse_type("float32[d0, 2*d2 + 1]"));
  EXPECT_EQ(g.fresh_symbol(), "d1");
  EXPECT_EQ(g.fresh_symbol(), "d3");
  g.reserve_symbol("d4");
  EXPECT_EQ(g.fresh_symbol(), "d5");
  EXPECT_TRUE(g.is_fresh_symbol("d3"));
  EXPECT_FALSE(g.is_fresh_symbol("d2"));
  EXPECT_FALSE(g.is_fresh_symbol("d6"));
  EXPECT_FALSE(g.is_fresh_symbol("N"));
  // A copy of a type does not turn our own symbol into somebody else's.
  g.add_value("copy", parse_type("float32[d3]"));
  EXPECT_TRUE(g.is_fresh_symbol("d3"));

  auto block = std::make_unique<Graph>("body");
  block->inherit_symbols(g);
  EXPECT_EQ(block->fresh_symbol(), "d6");
  Node node;
  node.op = "If";
  node.blocks.push_back(std::move(block));
  g.add_node(std::move(node), 1);
  EXPECT_EQ(g.fresh_symbol(), "d7");
}

TEST(Graph, CloneIsIndependent) {
  Graph g("main");
  const ValueId x = g.add_input("x", {});
  auto block = std::make_unique<Graph>("then");
  block->add_output(block->add_input("cx", {}));
  Node node;
  node.op = "If";
  node.inputs = {x, x};
  node.captures = 1;
  node.blocks.push_back(std::move(block));
  const NodeId id = g.add_node(std::move(node), 1);
  g.add_output(out(g, id));
  const auto copy = g.clone();
  verify(*copy);
  EXPECT_EQ(print(*copy), print(g));
  copy->node(id).blocks[0]->add_constant("k", Tensor::scalar(1.0f));
  add(*copy, "Relu", {x});
  EXPECT_NE(print(*copy), print(g));
  EXPECT_EQ(g.order().size(), 1u);
  EXPECT_EQ(g.value(x).uses.size(), 2u);
  verify(g);
}

TEST(Verify, NamesTheBrokenRule) {
  const auto broken = [](auto&& damage) {
    Graph g("main");
    const ValueId x = g.add_input("x", Type::tensor(DType::kFloat32, {2}));
    const ValueId c = g.add_constant("c", Tensor::of<float>({2}, {1, 2}));
    Node node;
    node.op = "Add";
    node.inputs = {x, c, c};
    node.epilogue_inputs = 1;
    node.epilogue.push_back({"", "Mul", {}, {EpilogueOp::kFlow, 2}});
    const NodeId id = g.add_node(std::move(node), 1);
    g.add_output(g.node(id).outputs[0]);
    verify(g);
    damage(g, id, x, c);
    return message_of([&] { verify(g); });
  };
  EXPECT_THAT(broken([](Graph& g, NodeId id, ValueId, ValueId) { g.node(id).inputs[1] = 0; }),
              HasSubstr("use list"));
  EXPECT_THAT(broken([](Graph& g, NodeId id, ValueId, ValueId) { g.node(id).inputs[1] = 99; }),
              HasSubstr("does not exist"));
  EXPECT_THAT(broken([](Graph& g, NodeId, ValueId, ValueId c) {
                g.value(c).type = parse_type("float32[3]");
              }),
              HasSubstr("its type says float32[3]"));
  EXPECT_THAT(broken([](Graph& g, NodeId id, ValueId, ValueId) { g.node(id).captures = 1; }),
              HasSubstr("captures without blocks"));
  EXPECT_THAT(
      broken([](Graph& g, NodeId id, ValueId, ValueId) { g.node(id).epilogue[0].operands[1] = 7; }),
      HasSubstr("reads input 7"));
  EXPECT_THAT(broken([](Graph& g, NodeId id, ValueId, ValueId) {
                g.node(id).epilogue[0].operands = {EpilogueOp::kFlow, EpilogueOp::kFlow};
              }),
              HasSubstr("2 flowing operands"));
  EXPECT_THAT(broken([](Graph& g, NodeId id, ValueId, ValueId) {
                g.node(id).epilogue[0].operands = {EpilogueOp::kFlow};
              }),
              HasSubstr("used by no epilogue operator"));
  EXPECT_THAT(broken([](Graph& g, NodeId id, ValueId, ValueId) { g.node(id).name.clear(); }),
              HasSubstr("has no name"));
  EXPECT_THAT(broken([](Graph& g, NodeId, ValueId x, ValueId) { g.value(x).name = "other"; }),
              HasSubstr("does not lead to its value"));
  EXPECT_THAT(broken([](Graph& g, NodeId, ValueId x, ValueId) {
                g.value(x).constant = Tensor::of<float>({2}, {1, 2});
              }),
              HasSubstr("constant"));
  EXPECT_THAT(broken([](Graph& g, NodeId id, ValueId, ValueId) { g.node(id).folded = true; }),
              HasSubstr("mixed up"));
  EXPECT_THAT(broken([](Graph& g, NodeId, ValueId, ValueId) { g.add_output(g.add_value("dead")); }),
              HasSubstr("no definition"));
}

TEST(Verify, LooksIntoBlocks) {
  Graph g("main");
  const ValueId x = g.add_input("x", Type::tensor(DType::kFloat32));
  auto block = std::make_unique<Graph>("then");
  const ValueId inner = block->add_input("inner", Type::tensor(DType::kFloat32));
  block->add_output(inner);
  Node node;
  node.op = "If";
  node.name = "choose";
  node.inputs = {x, x};
  node.captures = 1;
  node.blocks.push_back(std::move(block));
  const NodeId id = g.add_node(std::move(node), 1);
  verify(g);
  Graph& then = *g.node(id).blocks[0];
  then.value(inner).type = Type::tensor(DType::kInt64);
  EXPECT_THAT(message_of([&] { verify(g); }), HasSubstr("takes it as int64[?]"));
  then.value(inner).type = Type::tensor(DType::kFloat32);
  then.add_output(then.add_value("dead"));
  verify(g, false);
  EXPECT_THAT(message_of([&] { verify(g); }), HasSubstr("graph 'then'"));
}

// Random mutations; the verifier recomputes what the mutators maintain.
TEST(Graph, RandomMutationsKeepEveryPromise) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return random() % n; };
    Graph g("main");
    std::vector<ValueId> defined = {g.add_input("x", {}), g.add_input("y", {})};
    for (int step = 0; step < 300; ++step) {
      // Values defined before a place in the order: inputs and constants are always right.
      const auto any = [&] { return defined[below(defined.size())]; };
      switch (below(6)) {
        case 0:
          defined.push_back(g.add_constant("c", Tensor::scalar(1.0f)));
          break;
        case 1: {
          std::vector<ValueId> inputs;
          for (size_t i = below(4); i-- > 0;) inputs.push_back(any());
          const NodeId id = add(g, "Op", inputs, 1 + below(2));
          for (const ValueId v : g.node(id).outputs) {
            if (below(3) == 0) g.add_output(v);
          }
          break;
        }
        case 2: {
          if (g.order().empty()) break;
          const NodeId id = g.order()[below(g.order().size())];
          if (g.node(id).inputs.empty()) break;
          const size_t i = below(g.node(id).inputs.size());
          if (below(2)) {
            g.set_input(id, i, any());
          } else {
            g.remove_input(id, i);
          }
          break;
        }
        case 3: {
          if (g.order().empty()) break;
          const NodeId id = g.order()[below(g.order().size())];
          for (const ValueId v : std::vector<ValueId>(g.node(id).outputs)) {
            if (v != kNoValue) g.replace_uses(v, any());
          }
          g.erase_node(id);
          break;
        }
        case 4: {
          if (g.order().empty()) break;
          const NodeId before = g.order()[below(g.order().size())];
          Node node;
          node.op = "Inserted";
          node.inputs = {any()};
          const NodeId id = g.add_node(std::move(node), 1, before);
          if (!g.node(before).inputs.empty()) g.set_input(before, 0, out(g, id));
          break;
        }
        case 5: {
          if (g.order().empty()) break;
          const NodeId id = g.order()[below(g.order().size())];
          const std::vector<ValueId>& inputs = g.node(id).inputs;
          if (!std::ranges::all_of(inputs, [&](ValueId v) { return g.value(v).is_constant(); })) {
            break;
          }
          std::vector<Tensor> results;
          for (size_t i = 0; i < g.node(id).outputs.size(); ++i) {
            results.push_back(Tensor::scalar(2.0f));
          }
          g.fold_node(id, std::move(results));
          break;
        }
      }
    }
    verify(g);
    const PrintOptions all{.max_constant_elements = INT64_MAX, .provenance = true};
    const std::string text = print(g, all);
    const auto again = parse_graph(text);
    verify(*again);
    EXPECT_EQ(print(*again, all), text);
    verify(*g.clone());
    g.sort();
    verify(g);
  }
}

TEST(Graph, LargeGraphsStayFarFromQuadratic) {
  constexpr int kNodes = 100'000;
  const std::clock_t start = std::clock();
  Graph g("main");
  std::vector<NodeId> nodes;
  ValueId last = g.add_input("x", {});
  const ValueId shared = g.add_constant("shared", Tensor::scalar(1.0f));
  for (int i = 0; i < kNodes; ++i) {
    nodes.push_back(add(g, "Add", {last, i % 10 == 0 ? shared : last}));
    last = out(g, nodes.back());
  }
  g.add_output(last);
  g.sort();
  verify(g);
  // Every second node away, from the front, as a pass would do.
  for (int i = 0; i < kNodes; i += 2) {
    g.replace_uses(out(g, nodes[i]), g.node(nodes[i]).inputs[0]);
    g.erase_node(nodes[i]);
  }
  verify(g);
  // CPU time, so that a busy machine does not count: about a second in a light build, several under
  // sanitizers; a quadratic step takes minutes.
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 30.0);
}

}  // namespace
}  // namespace planish::ir
