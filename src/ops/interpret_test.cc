#include <atomic>
#include <map>

#include "ops/test_graphs.h"

namespace planish::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Value vec(std::initializer_list<float> values) {
  return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
}

TEST(Interpret, RunsInOrderAndReturnsOutputsAsListed) {
  const auto g = inferred(R"(graph g(%x: float32[2], %y: float32[2]) {
    %k = constant float32[] {10}
    %s = Add(%x, %y)
    %m = Mul(%s, %k)
    return %m, %x, %k, %m
  })");
  const auto out = run(*g, {vec({1, 2}), vec({3, -4})});
  ASSERT_EQ(out.size(), 4u);
  EXPECT_THAT(floats_of(out[0]), ElementsAre(40, -20));
  EXPECT_THAT(floats_of(out[1]), ElementsAre(1, 2));
  EXPECT_THAT(floats_of(out[2]), ElementsAre(10));
  EXPECT_THAT(floats_of(out[3]), ElementsAre(40, -20));
  for (const Value& value : out) EXPECT_TRUE(value.tensor().owns());
}

TEST(Interpret, ConstantsNeedNoAlignment) {
  alignas(8) std::byte bytes[9];
  const float number = 2.5f;
  std::memcpy(bytes + 1, &number, sizeof number);
  ir::Graph g("g");
  const ir::ValueId k = g.add_constant("k", Tensor::borrow(DType::kFloat32, {1}, bytes + 1));
  ir::Node node;
  node.op = "Neg";
  node.inputs = {k};
  g.add_output(g.node(g.add_node(std::move(node), 1)).outputs[0]);
  EXPECT_THAT(floats_of(run(g, {})[0]), ElementsAre(-2.5f));
}

TEST(Interpret, EpilogueEqualsTheSeparateChain) {
  const auto fused =
      inferred(R"(graph g(%x: float32[2, 3], %w: float32[3, 2], %r: float32[2, 2], %s: float32[]) {
    %y = MatMul(%x, %w) |> Add(_, %r) |> Relu() |> Sub(%s, _) |> Clip(_, -, %s)
    return %y
  })");
  const auto chain =
      inferred(R"(graph g(%x: float32[2, 3], %w: float32[3, 2], %r: float32[2, 2], %s: float32[]) {
    %a = MatMul(%x, %w)
    %b = Add(%a, %r)
    %c = Relu(%b)
    %d = Sub(%s, %c)
    %y = Clip(%d, -, %s)
    return %y
  })");
  const std::vector<Value> inputs = {
      Tensor::of<float>({2, 3}, {0.1f, -2, 3, 4.5f, 5, -6}),
      Tensor::of<float>({3, 2}, {1, 2, -3, 0.3f, 5, -6}),
      Tensor::of<float>({2, 2}, {-1, 40, 100, 0.7f}),
      Tensor::scalar(0.25f),
  };
  const auto a = run(*fused, inputs);
  const auto b = run(*chain, inputs);
  EXPECT_EQ(floats_of(a[0]), floats_of(b[0]));
  EXPECT_EQ(type_of(*fused, "y"), type_of(*chain, "y"));
  // Not all of it was clipped away.
  EXPECT_NE(floats_of(a[0])[0], floats_of(a[0])[2]);
}

TEST(Interpret, BranchesReadCaptures) {
  const auto g = inferred(R"(graph g(%c: bool[], %x: float32[2], %y: float32[2]) {
    %z = If(%c; %x, %y) with {
      graph then(%x, %y) { %t = Sub(%x, %y) return %t }
      graph other(%x, %y) { return %y }
    }
    return %z
  })");
  EXPECT_THAT(floats_of(run(*g, {Tensor::scalar(true), vec({5, 6}), vec({1, 2})})[0]),
              ElementsAre(4, 4));
  EXPECT_THAT(floats_of(run(*g, {Tensor::scalar(false), vec({5, 6}), vec({1, 2})})[0]),
              ElementsAre(1, 2));
}

TEST(Interpret, LoopsAndNestedBlocks) {
  // Adds the even iteration numbers to s, doubles others; collects s of every iteration.
  const auto g = inferred(R"(graph g(%n: int64[], %s: int64[], %two: int64[]) {
    %c = constant bool[] {true}
    %last, %all = Loop(%n, %c, %s; %two) with {
      graph body(%i: int64[], %go: bool[], %s: int64[], %two: int64[]) {
        %zero = constant int64[] {0}
        %rest = Mod(%i, %two)
        %even = Equal(%rest, %zero)
        %next = If(%even; %s, %i, %two) with {
          graph add(%s, %i, %two) { %a = Add(%s, %i) return %a }
          graph double(%s, %i, %two) { %d = Mul(%s, %two) return %d }
        }
        return %go, %next, %next
      }
    }
    return %last, %all
  })");
  int reported = 0;
  InterpretOptions options;
  options.on_value = [&](const ir::Graph& graph, const ir::ValueDef&, const Value&) {
    reported += graph.name() == "double";
  };
  const auto out =
      run(*g, {Tensor::scalar<int64_t>(5), Tensor::scalar<int64_t>(3), Tensor::scalar<int64_t>(2)},
          options);
  EXPECT_THAT(ints_of(out[0]), ElementsAre(20));
  EXPECT_THAT(ints_of(out[1]), ElementsAre(3, 6, 8, 16, 20));
  EXPECT_EQ(reported, 2);
}

TEST(Interpret, ReportsEveryValueOnce) {
  const auto g = inferred(R"(graph g(%x: float32[2]) {
    %k = constant float32[2] {1, 2}
    %a = Add(%x, %k)
    %unused = Neg(%a)
    %b = Relu(%a)
    return %b
  })");
  std::map<std::string, int> seen;
  InterpretOptions options;
  options.on_value = [&](const ir::Graph&, const ir::ValueDef& def, const Value& value) {
    ++seen[def.name];
    EXPECT_TRUE(value.is_tensor());
  };
  run(*g, {vec({1, 2})}, options);
  EXPECT_EQ(seen, (std::map<std::string, int>{{"a", 1}, {"b", 1}, {"unused", 1}}));
}

TEST(Interpret, ErrorsCarryTheNode) {
  const auto g = parsed(R"(graph g(%x: float32[2], %y: float32[3]) {
    %z = Add(%x, %y) name "bad"
    return %z
  })");
  const std::string message =
      message_of(ErrorCode::kInvalidInput, [&] { run(*g, {vec({1, 2}), vec({1, 2, 3})}); });
  EXPECT_THAT(message, HasSubstr("node 'bad'"));
  EXPECT_THAT(message_of(ErrorCode::kInvalidInput, [&] { run(*g, {vec({1})}); }),
              HasSubstr("takes 2 input(s) and is given 1"));
}

TEST(Interpret, WrongStaticTypesAreFound) {
  const auto g = inferred("graph g(%x: float32[2]) { %y = Relu(%x) name \"r\" return %y }");
  EXPECT_THAT(
      message_of(ErrorCode::kMismatch, [&] { run(*g, {vec({1, 2, 3})}); }),
      HasSubstr("node 'r': value 'y' has the static type float32[2], but came out as float32 3"));
}

TEST(Interpret, AsksWhetherToGoOn) {
  const auto g = inferred("graph g(%x: float32[2]) { %y = Relu(%x) %z = Neg(%y) return %z }");
  InterpretOptions options;
  int left = 1;
  options.callbacks.poll = [&] {
    if (left-- == 0) fail(ErrorCode::kCancelled, "stop");
  };
  EXPECT_THAT(message_of(ErrorCode::kCancelled, [&] { run(*g, {vec({1, 2})}, options); }),
              HasSubstr("stop"));
}

TEST(Interpret, OutputLimit) {
  const auto g = inferred("graph g(%x: float32[8]) { %y = Relu(%x) return %y }");
  InterpretOptions options;
  options.callbacks.max_output_bytes = 31;
  EXPECT_THAT(message_of(ErrorCode::kOutOfMemory,
                         [&] { run(*g, {vec({1, 2, 3, 4, 5, 6, 7, 8})}, options); }),
              HasSubstr("limit of 31 bytes"));
}

}  // namespace
}  // namespace planish::ops
