// Import: what becomes of graphs and constants; what is refused, and how.
#include "onnx/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/test_import.h"

namespace planish::onnx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace testing;  // NOLINT: the builders

const GraphParts kRelu = {
    {node("Relu", {"x"}, {"y"}, {}, {"act"})}, {f32("x", {"N", 3})}, {f32("y", {"N", 3})}};

TEST(Import, ASmallGraph) {
  const Imported i = import(model(kRelu));
  const ir::Graph& g = i.graph();
  EXPECT_THAT(ops_of(g), ElementsAre("Relu"));
  EXPECT_THAT(names_of(g, g.inputs()), ElementsAre("x"));
  EXPECT_THAT(names_of(g, g.outputs()), ElementsAre("y"));
  EXPECT_EQ(to_string(g.value(g.inputs()[0]).type), "float32[N, 3]");
  EXPECT_EQ(to_string(g.value(g.outputs()[0]).type), "float32[N, 3]");
  EXPECT_EQ(g.value(g.outputs()[0]).onnx_name, "y");
  const ir::Node& n = g.node(g.order()[0]);
  EXPECT_EQ(n.name, "act");
  EXPECT_THAT(n.provenance, ElementsAre("act"));
  EXPECT_EQ(g.ir_version, 8);
  EXPECT_THAT(g.opset_imports, ElementsAre(std::pair<std::string, int64_t>("", 13)));
  EXPECT_THAT(i.model.notes, IsEmpty());
}

TEST(Import, InitializersAreViews) {
  const Imported i = import(model({{node("Add", {"x", "w"}, {"y"})},
                                   {f32("x", {2})},
                                   {f32("y", {2})},
                                   {floats("w", {2}, {1, 2})}}));
  const ir::ValueDef& w = i.graph().value(i.graph().find_value("w"));
  ASSERT_TRUE(w.is_constant());
  EXPECT_FALSE(w.constant->owns());
  const auto* at = reinterpret_cast<const char*>(w.constant->raw());
  EXPECT_TRUE(at >= i.bytes.data() && at < i.bytes.data() + i.bytes.size());
  EXPECT_EQ(w.onnx_name, "w");
}

TEST(Import, InputsWithInitializersAreConstants) {
  GraphParts parts = {{node("Add", {"x", "w"}, {"y"})},
                      {f32("x", {2}), f32("w", {2})},
                      {f32("y", {2})},
                      {floats("w", {2}, {1, 2})}};
  const Imported i = import(model(parts));
  EXPECT_THAT(names_of(i.graph(), i.graph().inputs()), ElementsAre("x"));
  EXPECT_THAT(i.model.notes, ElementsAre(HasSubstr("taken as constants: w")));
  // Before IR version 4 the list was obligatory and means nothing.
  EXPECT_THAT(import(model(parts, {3, {opset("", 8)}, {}})).model.notes, IsEmpty());
}

TEST(Import, ConstantNodesInEveryForm) {
  const auto constant = [](const std::string& attribute) {
    const Imported i =
        import(model({{node("Constant", {}, {"y"}, {attribute})}, {}, {value("y", "")}}));
    EXPECT_THAT(i.graph().order(), IsEmpty());
    Tensor t = *i.graph().value(i.graph().outputs().at(0)).constant;
    EXPECT_FALSE(t.owns());
    Tensor copy(t.dtype(), t.dims());
    if (t.dtype() == DType::kString) {
      copy = Tensor::from_strings(t.dims(), t.strings());
    } else if (t.bytes() > 0) {
      std::memcpy(copy.mutable_raw(), t.raw(), static_cast<size_t>(t.bytes()));
    }
    return copy;
  };
  EXPECT_THAT(constant(attr_tensor("value", floats("", {2}, {1, 2}))).data<float>(),
              ElementsAre(1, 2));
  EXPECT_THAT(constant(attr_float("value_float", 2.5f)).data<float>(), ElementsAre(2.5f));
  EXPECT_EQ(constant(attr_float("value_float", 2.5f)).rank(), 0);
  EXPECT_THAT(constant(attr_floats("value_floats", {1, 2, 3})).dims(), ElementsAre(3));
  EXPECT_THAT(constant(attr_int("value_int", -7)).data<int64_t>(), ElementsAre(-7));
  EXPECT_THAT(constant(attr_ints("value_ints", {4, 5})).data<int64_t>(), ElementsAre(4, 5));
  EXPECT_THAT(constant(attr_ints("value_ints", {})).dims(), ElementsAre(0));
  EXPECT_THAT(constant(attr_string("value_string", "hi")).strings(), ElementsAre("hi"));
  EXPECT_THAT(constant(attr_strings("value_strings", {"a", "b"})).strings(), ElementsAre("a", "b"));
  const std::string values = floats("v", {2}, {5, 6});
  EXPECT_THAT(constant(attr_sparse("sparse_value", sparse(values, int64s("i", {2}, {1, 3}), {4})))
                  .data<float>(),
              ElementsAre(0, 5, 0, 6));
  EXPECT_THAT(constant(attr_sparse("sparse_value",
                                   sparse(values, int64s("i", {2, 2}, {0, 1, 1, 0}), {2, 2})))
                  .data<float>(),
              ElementsAre(0, 5, 6, 0));
  EXPECT_THAT(error_of(model({{node("Constant", {}, {"y"}, {})}, {}, {value("y", "")}})),
              HasSubstr("exactly one value"));
  EXPECT_THAT(
      error_of(model(
          {{node("Constant", {}, {"y"}, {attr_int("value_float", 1)})}, {}, {value("y", "")}})),
      HasSubstr("'value_float' of kind int"));
}

TEST(Import, SparseInitializersAreBounded) {
  const auto build = [](const std::string& indices, const std::vector<int64_t>& dims) {
    return model({{node("Relu", {"s"}, {"y"})},
                  {},
                  {value("y", "")},
                  {},
                  {},
                  {sparse(floats("s", {2}, {5, 6}), indices, dims)}});
  };
  const Imported i = import(build(int64s("", {2}, {0, 5}), {2, 3}));
  EXPECT_THAT(i.graph().value(i.graph().find_value("s")).constant->data<float>(),
              ElementsAre(5, 0, 0, 0, 0, 6));
  EXPECT_THAT(error_of(build(int64s("", {2}, {0, 6}), {2, 3})),
              HasSubstr("index 6 is outside 6 elements"));
  EXPECT_THAT(error_of(build(int64s("", {2}, {-1, 3}), {2, 3})), HasSubstr("outside"));
  EXPECT_THAT(error_of(build(int64s("", {2}, {3, 3}), {2, 3})), HasSubstr("ascending"));
  EXPECT_THAT(error_of(build(int64s("", {2, 2}, {0, 0, 1, 3}), {2, 3})),
              HasSubstr("index 3 is outside dim 1"));
  EXPECT_THAT(error_of(build(int64s("", {3}, {0, 1, 2}), {2, 3})), HasSubstr("do not fit"));
  EXPECT_THAT(error_of(build(int64s("", {2}, {0, 1}), {1 << 20, 1 << 20})),
              HasSubstr("limit for sparse"));
}

TEST(Import, ClaimsOfSizeAreNotBelieved) {
  const auto with = [](const std::string& tensor) {
    return error_of(model({{node("Relu", {"w"}, {"y"})}, {}, {value("y", "")}, {tensor}}));
  };
  EXPECT_THAT(with(raw_tensor("w", kF32, {int64_t{1} << 60}, "")), HasSubstr("'w'"));
  EXPECT_THAT(with(raw_tensor("w", kF32, {int64_t{1} << 40, int64_t{1} << 40}, "1234")),
              HasSubstr("'w'"));
  EXPECT_THAT(with(raw_tensor("w", kF32, {-1}, "1234")), HasSubstr("'w'"));
  EXPECT_THAT(with(raw_tensor("w", kStr, {int64_t{1} << 60}, "")), HasSubstr("'w'"));
  EXPECT_THAT(with(raw_tensor("w", kF32, {2}, "1234")), HasSubstr("needs 8 bytes"));
}

TEST(Import, DimsBecomeSymbols) {
  const Imported i =
      import(model({{node("Relu", {"a"}, {"y"})},
                    {f32("a", {"batch size", "", -1, 4}), f32("b", {"batch size", "?", "d0"})},
                    {value("y", "")}}));
  const ir::Graph& g = i.graph();
  EXPECT_EQ(to_string(g.value(g.inputs()[0]).type), "float32[batch_size, a_1, a_2, 4]");
  EXPECT_EQ(to_string(g.value(g.inputs()[1]).type), "float32[batch_size, b_1, d0]");
  EXPECT_THAT(i.model.notes, ElementsAre(HasSubstr("given as -1")));
  EXPECT_THAT(error_of(model({{node("Relu", {"a"}, {"y"})}, {f32("a", {-2})}, {value("y", "")}})),
              AllOf(HasSubstr("'a'"), HasSubstr("-2")));
}

TEST(Import, TwoDimParamsNeverBecomeOneSymbol) {
  const Imported i = import(
      model({{node("Relu", {"a"}, {"y"})}, {f32("a", {"b c", "b-c", "7"})}, {value("y", "")}}));
  EXPECT_EQ(to_string(i.graph().value(i.graph().inputs()[0]).type), "float32[b_c, b_c_1, dim7]");
}

TEST(Import, TypesOfInputs) {
  const auto with = [](const std::string& type) {
    return error_of(model({{node("Relu", {"a"}, {"y"})}, {value("a", type)}, {value("y", "")}}));
  };
  EXPECT_THAT(with(""), HasSubstr("input 'a' has no type"));
  EXPECT_THAT(with(tensor_type(99, {1})), HasSubstr("element type 99"));
  EXPECT_THAT(with(tensor_type(-1, {1})), HasSubstr("element type"));
  EXPECT_THAT(with(message([](Writer& w) {
                w.add_message(8, message([](Writer& t) { t.add_int32(1, 1); }));
              })),
              HasSubstr("sparse"));
}

TEST(Import, NodesOutOfOrderAreSorted) {
  const Imported i = import(model({{node("Abs", {"h"}, {"y"}), node("Relu", {"x"}, {"h"})},
                                   {f32("x", {2})},
                                   {value("y", "")}}));
  EXPECT_THAT(ops_of(i.graph()), ElementsAre("Relu", "Abs"));
  EXPECT_THAT(i.model.notes, ElementsAre(HasSubstr("were sorted")));
}

TEST(Import, CyclesNameTheirNodes) {
  const Parts io = {f32("x", {2})};
  EXPECT_THAT(
      error_of(model({{node("Add", {"x", "b"}, {"a"}, {}, {"first"}),
                       node("Neg", {"a"}, {"b"}, {}, {"second"}), node("Neg", {"a"}, {"y"})},
                      io,
                      {value("y", "")}})),
      AllOf(HasSubstr("cycle"), HasSubstr("'first'"), HasSubstr("'second'")));
  EXPECT_THAT(
      error_of(model({{node("Add", {"x", "y"}, {"y"}, {}, {"self"})}, io, {value("y", "")}})),
      AllOf(HasSubstr("cycle"), HasSubstr("'self'")));
}

TEST(Import, NamesMustBeDefinedOnceAndThere) {
  const Parts in = {f32("x", {2})}, out = {value("y", "")};
  EXPECT_THAT(error_of(model({{node("Add", {"x", "nowhere"}, {"y"}, {}, {"n"})}, in, out})),
              AllOf(HasSubstr("node 'n'"), HasSubstr("'nowhere'")));
  EXPECT_THAT(
      error_of(model(
          {{node("Neg", {"x"}, {"y"}, {}, {"n"}), node("Abs", {"x"}, {"y"}, {}, {"m"})}, in, out})),
      AllOf(HasSubstr("'y' is defined twice"), HasSubstr("'n'"), HasSubstr("'m'")));
  EXPECT_THAT(error_of(model({{node("Neg", {"y"}, {"x"}), node("Abs", {"x"}, {"y"})}, in, out})),
              HasSubstr("'x' is defined twice: as an input"));
  EXPECT_THAT(error_of(model({{node("Add", {"x", "k"}, {"y"})},
                              in,
                              out,
                              {floats("k", {2}, {1, 1}), floats("k", {2}, {5, 5})}})),
              HasSubstr("'k' is defined twice"));
  EXPECT_THAT(error_of(model({{node("Neg", {"x"}, {"z"})}, in, out})),
              HasSubstr("output 'y' is made by no node"));
}

TEST(Import, AllUnknownOperatorsInOneMessage) {
  const std::string text =
      error_of(model({{node("NoSuchOp", {"x"}, {"a"}, {}, {"p"}), node("NoSuchOp", {"a"}, {"b"}),
                       node("Reluu", {"b"}, {"y"}), node("Fused", {"x"}, {"z"}, {}, {"q", "acme"})},
                      {f32("x", {2})},
                      {value("y", "")}}));
  EXPECT_THAT(text, AllOf(HasSubstr("NoSuchOp (2 nodes"), HasSubstr("'p'"), HasSubstr("acme.Fused"),
                          HasSubstr("Relu")));
}

TEST(Import, Opsets) {
  EXPECT_THAT(error_of(model(kRelu, {8, {}, {}})), HasSubstr("imports no opset of domain ai.onnx"));
  EXPECT_THAT(error_of(model(kRelu, {8, {opset("", 9999)}, {}})), HasSubstr("opset 9999"));
  EXPECT_THAT(error_of(model(kRelu, {8, {opset("", 0)}, {}})), HasSubstr("opset 0"));
  EXPECT_THAT(import(model(kRelu, {8, {opset("", 13), opset("ai.onnx", 14)}, {}})).model.notes,
              ElementsAre(HasSubstr("twice")));
  EXPECT_THAT(import(model(kRelu, {8, {opset("ai.onnx", 13)}, {}})).model.notes, IsEmpty());
  EXPECT_THAT(import(model(kRelu, {99, {opset("", 13)}, {}})).model.notes,
              ElementsAre(HasSubstr("IR version 99")));
  EXPECT_THAT(import(model(kRelu, {8, {opset("", 30)}, {}})).model.notes,
              ElementsAre(HasSubstr("opset 30")));
  EXPECT_THAT(import(model(kRelu, {2, {}, {}})).model.notes,
              ElementsAre(HasSubstr("taken as opset 1")));
}

TEST(Import, OmittedInputsAndOutputs) {
  const Imported i = import(model({{node("Clip", {"x", "", "hi"}, {"y"})},
                                   {f32("x", {2})},
                                   {value("y", "")},
                                   {floats("hi", {}, {1})}}));
  EXPECT_THAT(names_of(i.graph(), only_node(i.graph(), "Clip").inputs), ElementsAre("x", "", "hi"));
}

TEST(Import, AttributesAreChecked) {
  const auto with = [](const Parts& attributes) {
    return error_of(model(
        {{node("LeakyRelu", {"x"}, {"y"}, attributes, {"n"})}, {f32("x", {2})}, {value("y", "")}}));
  };
  EXPECT_EQ(with({attr_float("alpha", 0.5f)}), "(no error)");
  EXPECT_THAT(with({attr_int("wat", 3)}), AllOf(HasSubstr("node 'n'"), HasSubstr("'wat'")));
  EXPECT_THAT(with({attr_float("alpha", 1), attr_float("alpha", 2)}), HasSubstr("stands twice"));
  EXPECT_THAT(with({attribute("alpha", 1, [](Writer& w) { w.add_int64(3, 5); })}),
              HasSubstr("carries a value of another"));
  EXPECT_THAT(with({attribute("alpha", 77, [](Writer&) {})}), HasSubstr("none of ONNX's"));
  EXPECT_THAT(with({attr_ref("alpha", 1, "p")}), HasSubstr("outside of one"));
  // Version 1 files have no `type`.
  EXPECT_EQ(with({message([](Writer& w) {
              w.add_string(1, "alpha");
              w.add_float(2, 0.25f);
            })}),
            "(no error)");
}

TEST(Import, MessagesArePrintableWhateverTheNames) {
  const std::string text =
      error_of(model({{node("Add", {"x", "a\xff\n\xc3\xa9"}, {"y"}, {}, {std::string("n\0m", 3)})},
                      {f32("x", {2})},
                      {}}));
  EXPECT_THAT(text, AllOf(HasSubstr("'a\\xff\\x0a\xc3\xa9'"), HasSubstr("'n\\x00m'")));
  const std::string long_name(100'000, 'q');
  EXPECT_LT(error_of(model({{node("Add", {"x", long_name}, {"y"})}, {f32("x", {2})}, {}})).size(),
            5000u);
}

TEST(Import, AModelWithoutGraph) {
  EXPECT_THAT(error_of(message([](Writer& w) { w.add_int64(1, 8); })), HasSubstr("no graph"));
}

}  // namespace
}  // namespace planish::onnx
