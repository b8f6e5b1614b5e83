// Attention: shapes of both forms, what inference refuses, and masks of opset 23.
#include "ops/test_graphs.h"
#include "ops/upgrade.h"

namespace planish::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Attention, ShapesWithAPast) {
  const auto split = inferred(R"(graph g(%q: float16[N, 8, S, 64], %k: float16[N, 2, S, 64],
      %v: float32[N, 2, S, 32], %pk: float16[N, 2, P, 64], %pv: float32[N, 2, P, 32]) {
    %y, %key, %value, %scores = Attention(%q, %k, %v, -, %pk, %pv)
    return %y })");
  EXPECT_EQ(type_of(*split, "y"), "float16[N, 8, S, 32]");
  EXPECT_EQ(type_of(*split, "key"), "float16[N, 2, P + S, 64]");
  EXPECT_EQ(type_of(*split, "value"), "float32[N, 2, P + S, 32]");
  EXPECT_EQ(type_of(*split, "scores"), "float16[N, 8, S, P + S]");
  const auto flat = inferred(R"(graph g(%q: float32[N, S, 512], %k: float32[N, T, 128],
      %v: float32[N, T, 64], %m: bool[S, T], %n: int64[N]) {
    %y, %key = Attention(%q, %k, %v, %m, -, -, %n) {q_num_heads = 8, kv_num_heads = 2}
    return %y })");
  EXPECT_EQ(type_of(*flat, "y"), "float32[N, S, 256]");
  EXPECT_EQ(type_of(*flat, "key"), "float32[N, 2, T, 64]");
}

TEST(Attention, RefusesWhatDoesNotFit) {
  const auto error = [](std::string_view shapes, std::string_view call) {
    return message_of(ErrorCode::kInvalidModel, [&] {
      inferred(fmt::format("graph g({}) {{ %y = Attention({} return %y }}", shapes, call));
    });
  };
  const char* same = "%q: float32[1, 2, 4, 8]";
  EXPECT_THAT(error(same, "%q, %q, %q) {q_num_heads = 3}"), HasSubstr("q_num_heads 3"));
  EXPECT_THAT(error(same, "%q, %q, %q, -, %q)"), HasSubstr("go together"));
  EXPECT_THAT(error(same, "%q, %q, %q) {qk_matmul_output_mode = 4}"), HasSubstr("0 to 3"));
  EXPECT_THAT(error(same, "%q, %q, %q) {softmax_precision = 7}"), HasSubstr("float type"));
  EXPECT_THAT(error(same, "%q, %q, %q) {left_window_size = -2}"), HasSubstr("below -1"));
  EXPECT_THAT(error("%q: float32[1, 2, 4, 8], %m: bool[4, 5]", "%q, %q, %q, %m)"),
              HasSubstr("does not broadcast"));
  EXPECT_THAT(error("%q: float32[1, 3, 4, 8], %k: float32[1, 2, 4, 8]", "%q, %k, %k)"),
              HasSubstr("cannot share"));
  EXPECT_THAT(error("%q: float32[1, 4, 8], %k: float32[1, 2, 4, 8]", "%q, %k, %k)"),
              HasSubstr("all rank 4"));
  EXPECT_THAT(error("%q: float32[1, 4, 8]", "%q, %q, %q) {q_num_heads = 3, kv_num_heads = 1}"),
              HasSubstr("does not split"));
  EXPECT_THAT(error("%q: float32[1, 2, 4, 8], %p: float32[1, 2, 4, 7]", "%q, %q, %q, -, %p, %q)"),
              HasSubstr("past_key"));
}

// One query, two keys, scores of 0, values 2 and 4: opset 23 takes a mask of one element for all
// keys, opset 24 for the first.
TEST(Attention, OneElementMasksAreForAllKeysUpToOpset23) {
  for (const bool with_past : {false, true}) {
    for (const char* mask : {"bool[1, 1]", "bool[1, T]"}) {
      for (const int opset : {23, 24}) {
        ir::Graph g("g");
        const int64_t fresh = with_past ? 1 : 2;
        const Tensor q(DType::kFloat32, {1, 1, 1, 1}), k(DType::kFloat32, {1, 1, fresh, 1});
        const auto input = [&](std::string_view name, std::string_view type) {
          return g.add_input(std::string(name), parse_type(type));
        };
        const std::string keys = fmt::format("float32[1, 1, {}, 1]", fresh);
        ir::Node node;
        node.op = "Attention";
        node.inputs = {input("q", "float32[1, 1, 1, 1]"), input("k", keys), input("v", keys),
                       input("m", mask)};
        std::vector<Value> values = {q, k,
                                     with_past ? Tensor::of<float>({1, 1, 1, 1}, {4.f})
                                               : Tensor::of<float>({1, 1, 2, 1}, {2.f, 4.f}),
                                     Tensor::of<bool>({1, 1}, {true})};
        if (with_past) {
          node.inputs.push_back(input("pk", keys));
          node.inputs.push_back(input("pv", keys));
          values.emplace_back(k);
          values.emplace_back(Tensor::of<float>({1, 1, 1, 1}, {2.f}));
        }
        const ir::ValueId y = g.add_value("y");
        node.outputs = {y};
        add_upgraded(g, std::move(node), opset);
        g.add_output(y);
        ir::verify(g);
        EXPECT_THAT(floats_of(run(g, values)[0]), ElementsAre(opset == 23 ? 3.f : 2.f))
            << mask << " at " << opset << (with_past ? " with a past" : "");
      }
    }
  }
}

// Masks that cannot be of one element alone are left as they are.
TEST(Attention, OtherMasksOfOpset23StayAsTheyAre) {
  ir::Graph g("g");
  const ir::ValueId q = g.add_input("q", parse_type("float32[1, 1, 2, 1]"));
  ir::Node node;
  node.op = "Attention";
  node.inputs = {q, q, q, g.add_input("m", parse_type("bool[2, 2]"))};
  node.outputs = {g.add_value("y")};
  EXPECT_EQ(add_upgraded(g, std::move(node), 23).size(), 1u);
}

}  // namespace
}  // namespace planish::ops
