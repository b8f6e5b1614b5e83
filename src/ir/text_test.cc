#include "ir/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "ir/graph.h"

namespace planish::ir {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const PrintOptions kAll{.max_constant_elements = INT64_MAX, .provenance = true};

// Reads the text, checks the graph and that it prints as `text` again.
std::unique_ptr<Graph> same(std::string_view text) {
  auto graph = parse_graph(text);
  verify(*graph);
  EXPECT_EQ(print(*graph, kAll), text);
  return graph;
}

TEST(Text, SmallGraph) {
  const auto g = same(R"(graph main(%x: float32[N, 3, 224, 224] @ input) {
  ir_version 8
  producer "pytorch 2.1"
  doc "two\nlines"
  opset "" 17
  opset "ai.onnx.ml" 3
  metadata "author" "somebody"
  %w = constant float32[2, 2] {1, -0, inf, 1e-45}
  %r = constant float32[] {0.5}
  fold %v: float32[2, 2] = Neg(%w) name "neg" value float32[2, 2] {-1, 0, -inf, -1e-45}
  %y: float32[N, 16, 112, 112] @ "odd name" = Conv(%x, %v) {pads = [0, 1], strides = [2, 2]} |> Relu() |> Add(_, %r) name "conv1" from "Conv_0", "Relu_1"
  %s: int64[4] ~ [N, 16, 112, floordiv(2*N + 1, 4)] = Shape(%y)
  %a, -, %c: seq(map(int64, float32[])) = ai.onnx.ml::Thing(%y, -, %s)
  return %y, %c, %y
}
)");
  EXPECT_EQ(g->name(), "main");
  EXPECT_EQ(g->ir_version, 8);
  EXPECT_EQ(g->doc, "two\nlines");
  EXPECT_EQ(g->metadata.at(0).second, "somebody");
  const ValueDef& y = g->value(g->find_value("y"));
  EXPECT_EQ(y.onnx_name, "odd name");
  const Node& conv = g->node(y.producer);
  EXPECT_EQ(conv.name, "conv1");
  EXPECT_EQ(conv.epilogue_inputs, 1u);
  EXPECT_EQ(conv.operator_inputs(), 2u);
  EXPECT_EQ(conv.attributes.get_ints("strides"), (Ints{2, 2}));
  EXPECT_EQ(conv.provenance, (Strings{"Conv_0", "Relu_1"}));
  const Node& thing = g->node(g->order().back());
  EXPECT_EQ(thing.domain, "ai.onnx.ml");
  EXPECT_EQ(thing.name, "a");
  EXPECT_EQ(thing.outputs[1], kNoValue);
  EXPECT_EQ(g->fold_order().size(), 1u);
  EXPECT_EQ(g->value(g->find_value("s")).symbolic->elements[0], SizeExpr::symbol("N"));
}

TEST(Text, BlocksAndCaptures) {
  const auto g = same(R"(graph main(%f: bool[], %x: float32[N]) {
  %z: float32[N] = If(%f; %x) name "if" with {
    graph then(%x: float32[N]) {
      %t: float32[N] = Loop(-, -, %x; %x) with {
        graph body(%i: int64[], %c: bool[], %s: float32[N], %x: float32[N]) {
          %n: float32[N] = Add(%s, %x)
          return %c, %n
        }
      }
      return %t
    }
    graph "odd name"(%q: float32[N]) {
      return %q
    }
  }
  return %z
}
)");
  const Node& branch = g->node(g->order()[0]);
  EXPECT_EQ(branch.captures, 1u);
  ASSERT_EQ(branch.blocks.size(), 2u);
  EXPECT_EQ(branch.blocks[0]->node(0).blocks[0]->inputs().size(), 4u);
  EXPECT_EQ(branch.blocks[1]->name(), "odd name");
}

TEST(Text, EveryAttributeKind) {
  const auto g = same(R"(graph main() {
  Op() {a = 2, b = 2.0, c = "s\"\\\n\x00\xff", d = tensor int8[2] {-128, 127}, e = type seq(float32[N, 2]), f = [1, -2], g = [1.5, inf, nan, -0.0], h = ["", "x"], i = [tensor float32[] {1}, tensor string[1] {"q"}], j = ints[], k = floats[], l = strings[], m = tensors[], "n n" = -9223372036854775808, o = float:0x7f800001, p = tensor undefined[] {}} name "op"
  return
}
)");
  const Attributes& a = g->node(0).attributes;
  EXPECT_EQ(a.size(), 16u);
  EXPECT_EQ(a.get_int("a"), 2);
  EXPECT_EQ(a.get_float("b"), 2.0f);
  EXPECT_EQ(a.get_string("c"), std::string("s\"\\\n\0\xff", 6));
  EXPECT_EQ(a.get_floats("g").size(), 4u);
  EXPECT_TRUE(std::signbit(a.get_floats("g")[3]));
  EXPECT_EQ(std::get<Tensors>(*a.find("i"))[1].strings()[0], "q");
  EXPECT_EQ(std::bit_cast<uint32_t>(a.get_float("o")), 0x7f800001u);
}

TEST(Text, EpilogueOperands) {
  const auto g = same(R"(graph main(%x, %r, %s) {
  %a = Conv(%x, %r) |> Clip(_, -, %s) {hint = 1} |> my::Op(%r, _) name "simple"
  %b = Conv(%x, %r | %s, %r) |> Add($3, _) |> Add(_, $2) |> Mul(_, $0) name "out of order"
  return %a, %b
}
)");
  const Node& simple = g->node(0);
  EXPECT_EQ(simple.epilogue_inputs, 2u);
  EXPECT_EQ(simple.epilogue[0].operands,
            (std::vector<int32_t>{EpilogueOp::kFlow, EpilogueOp::kOmitted, 2}));
  EXPECT_EQ(simple.epilogue[1].domain, "my");
  EXPECT_EQ(g->node(1).epilogue[2].operands[1], 0);
}

TEST(Text, BlanksAndCommentsMeanNothing) {
  const auto g = parse_graph(
      "graph main ( %x:float32[N] ,%y ) // header\n{%z=Add(%x,%y)// sum\n name\"n\"return%z}");
  verify(*g);
  EXPECT_EQ(print(*g), R"(graph main(%x: float32[N], %y) {
  %z = Add(%x, %y) name "n"
  return %z
}
)");
}

TEST(Text, WordsOfTheFormatAreLegalNames) {
  same(R"(graph graph(%name, %value: float32[]) {
  %constant = constant(%name)
  %with = fold::name(%value) name "from"
  fold(%with) name "return"
  return(%with) name "value"
  name::with() name "with"
  return %constant
}
)");
}

// Every bit pattern of every type that has at most 16 bits, and the odd ones of wider types.
template <class T>
void round_trip(DType dtype, const std::vector<T>& codes) {
  const auto count = static_cast<int64_t>(codes.size() * sizeof(T)) * 8 / bit_width(dtype);
  Graph g("main");
  g.add_constant("c", Tensor::borrow(dtype, {count}, codes.data()));
  const std::string text = print(g, kAll);
  const auto again = parse_graph(text);
  const Tensor& back = *again->value(0).constant;
  ASSERT_EQ(back.dtype(), dtype);
  ASSERT_EQ(back.size(), count);
  EXPECT_EQ(std::memcmp(back.raw(), codes.data(), codes.size() * sizeof(T)), 0) << to_string(dtype);
  EXPECT_EQ(print(*again, kAll), text);
}

TEST(Text, EveryBitPatternOfEveryType) {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<uint8_t>(i));
  std::vector<uint16_t> words;
  for (int i = 0; i < 65536; ++i) words.push_back(static_cast<uint16_t>(i));
  for (int t = 1; t < kDTypeCount; ++t) {
    const auto dtype = static_cast<DType>(t);
    SCOPED_TRACE(to_string(dtype));
    const int bits = bit_width(dtype);
    if (bits > 0 && bits <= 8) round_trip(dtype, bytes);
    if (bits == 16) round_trip(dtype, words);
  }
  const std::vector<uint32_t> singles = {0,          1,          0x80000000, 0x3f800000,
                                         0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
                                         0x7f800001, 0x7fffffff, 0xffffffff, 0x00800000,
                                         0x007fffff, 0x7f7fffff, 0x3dcccccd, 0x4b800001};
  for (const DType dtype : {DType::kFloat32, DType::kInt32, DType::kUint32, DType::kComplex64}) {
    round_trip(dtype, singles);
  }
  const std::vector<uint64_t> doubles = {0,
                                         1,
                                         0x8000000000000000,
                                         0x3ff0000000000000,
                                         0x7ff0000000000000,
                                         0xfff0000000000000,
                                         0x7ff8000000000000,
                                         0xfff8000000000001,
                                         0x7ff0000000000001,
                                         0xffffffffffffffff,
                                         0x000fffffffffffff,
                                         0x7fefffffffffffff,
                                         0x3fb999999999999a,
                                         0x7fffffffffffffff};
  for (const DType dtype : {DType::kFloat64, DType::kInt64, DType::kUint64, DType::kComplex128}) {
    round_trip(dtype, doubles);
  }
}

TEST(Text, StringsHoldAnyByte) {
  std::string every;
  for (int i = 0; i < 256; ++i) every += static_cast<char>(i);
  Graph g(every);
  g.add_constant(every, Tensor::from_strings({2, 1}, {every, ""}));
  const std::string text = print(g, kAll);
  const auto again = parse_graph(text);
  EXPECT_EQ(again->name(), every);
  EXPECT_EQ(again->value(0).name, every);
  EXPECT_EQ(again->value(0).constant->strings(), (Strings{every, ""}));
  EXPECT_EQ(print(*again, kAll), text);
}

TEST(Text, LongConstantsPrintAsHashOfTheirContent) {
  const auto text_of = [](float last) {
    Graph g("main");
    std::vector<float> values(100, 1.0f);
    values.back() = last;
    g.add_constant("w", Tensor::of<float>({100}, values));
    return print(g);
  };
  EXPECT_THAT(text_of(1), HasSubstr("%w = constant float32[100] #"));
  EXPECT_EQ(text_of(1), text_of(1));
  EXPECT_NE(text_of(1), text_of(2));
  EXPECT_THROW(parse_graph(text_of(1)), Error);
}

TEST(Text, TypesCanBeLeftOut) {
  const auto g =
      parse_graph("graph g(%x: float32[N]) { %y: int64[1] ~ [N] = Shape(%x) return %y }");
  EXPECT_EQ(print(*g, {.types = false}), "graph g(%x) {\n  %y = Shape(%x)\n  return %y\n}\n");
}

struct Mistake {
  std::string_view text, message;
};

TEST(Text, MistakesAreReportedWithTheirPlace) {
  const Mistake mistakes[] = {
      {"", "1:1: expected 'graph'"},
      {"graph main(", "1:12: expected '%', found the end of the text"},
      {"graph main() {\n  %x = Add(%y)\n  return\n}", "2:12: value 'y' is not defined"},
      {"graph main(%x, %x) {}", "1:16: value 'x' is defined twice"},
      {"graph main() {\n A() name \"a\"\n A() name \"a\"\n return }",
       "3:2: node 'a' is defined twice"},
      {"graph main() { A() return }", "1:16: the node needs a name"},
      {"graph main(%x: float33[2]) {}", "1:16: unknown element type 'float33'"},
      {"graph main(%x: float32[2) {}", "1:"},
      {"graph main() { %c = constant float32[2] {1} return }",
       "1:30: float32 2 needs 2 element(s), not 1"},
      {"graph main() { %c = constant float32[N] {1} return }", "constant dims"},
      {"graph main() { %c = constant int8[1] {128} return }", "'128' is no element of type int8"},
      {"graph main() { %c = constant float32[1] {1x} return }", "'1x' is no element"},
      {"graph main() { %c = constant float32[99999999999, 99999999999] {} return }", "1:30"},
      {"graph main() { %c = constant float32[4611686018427387904] {} return }", "not 0"},
      {"graph main() { %c = constant string[4611686018427387904] {} return }", "0 strings"},
      {"graph main() { A() {x = 1, x = 2} name \"a\" return }", "attribute 'x' is given twice"},
      {"graph main() { A() {x = []} name \"a\" return }", "needs its kind"},
      {"graph main() { A() {x = 99999999999999999999} name \"a\" return }", "64-bit integer"},
      {"graph main() { A() {x = \"\\q\"} name \"a\" return }", "unknown escape"},
      {"graph main() { A() {x = \"\\x4\"} name \"a\" return }", "two hexadecimal digits"},
      {"graph main() { A() {x = \"abc} name", "1:25: the string has no end"},
      {"graph main(%x) { fold %y = A(%x) value float32[] {1} return }", "reads constants only"},
      {"graph main() { return - }", "cannot be left out"},
      {"graph main() { return } graph", "1:25: expected the end of the text"},
  };
  for (const Mistake& mistake : mistakes) {
    try {
      parse_graph(mistake.text);
      ADD_FAILURE() << "no error for " << mistake.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidModel) << mistake.text;
      EXPECT_THAT(error.message(), StartsWith("graph text ")) << mistake.text;
      EXPECT_THAT(error.message(), HasSubstr(std::string(mistake.message)));
    }
  }
}

TEST(Text, NestingIsBounded) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "graph g() { A() name \"a\" with { ";
  EXPECT_THROW(parse_graph(deep), Error);
  EXPECT_THROW(parse_graph("graph g(%x: " + std::string(100'000, '(')), Error);
  std::string types = "graph g(%x: ";
  for (int i = 0; i < 100'000; ++i) types += "seq(";
  EXPECT_THROW(parse_graph(types + std::string(100'000, ')') + ") {}"), Error);
}

}  // namespace
}  // namespace planish::ir
