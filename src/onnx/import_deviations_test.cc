// What is accepted beyond the letter of ONNX: each with its note, its values, and as an error under
// `strict`. The values are those of ONNX Runtime 1.32 where it accepts the model; docs/models.md
// lists all of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "onnx/test_import.h"
#include "ops/op.h"

namespace planish::onnx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace testing;  // NOLINT: the builders

std::vector<Value> run(const Imported& i, const std::vector<Value>& inputs) {
  std::vector<const Value*> pointers;
  for (const Value& v : inputs) pointers.push_back(&v);
  ops::InterpretOptions options;
  options.check_types = true;
  return ops::interpret(i.graph(), pointers, options);
}

std::vector<float> floats_in(const Value& value) {
  const auto data = value.tensor().data<float>();
  return {data.begin(), data.end()};
}

Value vector_of(std::vector<float> values) {
  return Tensor::of<float>({static_cast<int64_t>(values.size())}, std::span<const float>(values));
}

std::string strict_error(const std::string& bytes) {
  ImportOptions options;
  options.strict = true;
  try {
    import_bytes(std::as_bytes(std::span(bytes)), options);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidModel) << e.what();
    return e.what();
  }
  return "(no error)";
}

// --- scalars of control flow

std::string counter_loop(const std::vector<Dim>& counter,
                         const std::vector<Dim>& condition,
                         const std::vector<Dim>& trips) {
  const std::string body = graph({{node("Identity", {"ci"}, {"co"}), node("Add", {"v", "v"}, {"w"}),
                                   node("Identity", {"i"}, {"count"})},
                                  {value("i", tensor_type(kI64, counter)),
                                   value("ci", tensor_type(kBoolean, condition)), f32("v", {2})},
                                  {value("co", ""), value("w", ""), value("count", "")}});
  return model({{node("Loop", {"m", "c", "x"}, {"y", "counts"}, {attr_graph("body", body)})},
                {value("m", tensor_type(kI64, trips)), value("c", tensor_type(kBoolean, trips)),
                 f32("x", {2})},
                {value("y", ""), value("counts", "")}});
}

TEST(Deviations, LoopBodiesThatDeclareVectorsSeeVectors) {
  for (const auto& declared : std::vector<std::vector<Dim>>{{int64_t{1}}, {"n"}, {1, 1}}) {
    const std::string bytes = counter_loop(declared, declared, {});
    const Imported i = import(bytes);
    EXPECT_THAT(i.model.notes,
                ElementsAre(AllOf(HasSubstr("declared as vectors"), HasSubstr("2 iteration"))));
    const auto out =
        run(i, {Tensor::scalar<int64_t>(3), Tensor::scalar<bool>(true), vector_of({1, 2})});
    EXPECT_THAT(floats_in(out[0]), ElementsAre(8, 16));
    EXPECT_EQ(out[1].tensor().dims(), (Dims{3, 1}));
    EXPECT_THAT(out[1].tensor().data<int64_t>(), ElementsAre(0, 1, 2));
    EXPECT_THAT(strict_error(bytes), HasSubstr("declared as vectors"));
  }
  const Imported plain = import(counter_loop({}, {}, {}));
  EXPECT_THAT(plain.model.notes, IsEmpty());
  const auto out =
      run(plain, {Tensor::scalar<int64_t>(3), Tensor::scalar<bool>(true), vector_of({1, 2})});
  EXPECT_EQ(out[1].tensor().dims(), (Dims{3}));
}

TEST(Deviations, TripCountsAndConditionsOfOneElement) {
  const Imported i = import(counter_loop({}, {}, {1}));
  const auto out =
      run(i, {Tensor::of<int64_t>({1}, {2}), Tensor::of<bool>({1}, {true}), vector_of({1, 2})});
  EXPECT_THAT(floats_in(out[0]), ElementsAre(4, 8));
  EXPECT_EQ(out[1].tensor().dims(), (Dims{2}));

  for (const bool yes : {true, false}) {
    const Imported choice =
        import(model({{node("If", {"c"}, {"y"},
                            {attr_graph("then_branch", branch("Abs", {"x"}, "t")),
                             attr_graph("else_branch", branch("Neg", {"x"}, "e"))})},
                      {value("c", tensor_type(kBoolean, {1})), f32("x", {2})},
                      {value("y", "")}}));
    const auto y = run(choice, {Tensor::of<bool>({1}, {yes}), vector_of({-1, 2})});
    if (yes) {
      EXPECT_THAT(floats_in(y[0]), ElementsAre(1, 2));
    } else {
      EXPECT_THAT(floats_in(y[0]), ElementsAre(1, -2));
    }
  }
}

// --- names

// y = Loop(3, true, x) { x + w }: the body names its condition and its carried value as the graph
// around it does.
TEST(Deviations, InputsOfABodyHideOuterNames) {
  const std::string body = graph({{node("Add", {"x", "w"}, {"t"}), node("Identity", {"c"}, {"c2"})},
                                  {value("i", tensor_type(kI64, {})), boolean("c"), f32("x", {2})},
                                  {value("c2", ""), value("t", "")}});
  const std::string bytes =
      model({{node("Loop", {"n", "c", "x"}, {"y"}, {attr_graph("body", body)})},
             {f32("x", {2}), boolean("c")},
             {value("y", "")},
             {int64s("n", {}, {3}), floats("w", {2}, {10, 20})}});
  const Imported i = import(bytes);
  EXPECT_THAT(i.model.notes, ElementsAre(AllOf(HasSubstr("2 name(s)"), HasSubstr("hide"))));
  EXPECT_THAT(floats_in(run(i, {vector_of({1, 2}), Tensor::scalar<bool>(true)})[0]),
              ElementsAre(31, 62));
  EXPECT_THAT(strict_error(bytes), HasSubstr("hide"));
}

// ONNX Runtime lets the outer value count where a subgraph has an initializer of that name, which
// no reader of the file expects: accepted only where both are the same.
TEST(Deviations, InitializersOfABranchMayRepeatOuterOnes) {
  const auto with = [](const Parts& nodes, const Parts& outer, const std::string& inner) {
    const std::string own =
        graph({{node("Add", {"x", "k"}, {"t"})}, {}, {value("t", "")}, {inner}});
    Parts all = nodes;
    all.push_back(node("If", {"c"}, {"y"},
                       {attr_graph("then_branch", own),
                        attr_graph("else_branch", branch("Sub", {"x", "k"}, "e"))}));
    return model({all, {boolean("c"), f32("x", {2})}, {value("y", "")}, outer});
  };
  const std::string same = with({}, {floats("k", {2}, {5, 5})}, floats("k", {2}, {5, 5}));
  const Imported i = import(same);
  EXPECT_THAT(i.model.notes, ElementsAre(HasSubstr("1 name(s)")));
  EXPECT_THAT(floats_in(run(i, {Tensor::scalar<bool>(true), vector_of({-1, 2})})[0]),
              ElementsAre(4, 7));
  EXPECT_THAT(floats_in(run(i, {Tensor::scalar<bool>(false), vector_of({-1, 2})})[0]),
              ElementsAre(-6, -3));
  for (const std::string& other : {floats("k", {2}, {5, 6}), floats("k", {1}, {5})}) {
    EXPECT_THAT(error_of(with({}, {floats("k", {2}, {5, 5})}, other)),
                HasSubstr("another value for 'k'"));
  }
  EXPECT_THAT(error_of(with({node("Abs", {"x"}, {"k"})}, {}, floats("k", {2}, {5, 5}))),
              HasSubstr("another value for 'k'"));
}

TEST(Deviations, OutputsOfNodesMayNotHide) {
  const auto with = [](const std::string& inner) {
    const std::string then = graph({{inner, node("Abs", {"k"}, {"t"})}, {}, {value("t", "")}});
    return error_of(model({{node("If", {"c"}, {"y"},
                                 {attr_graph("then_branch", then),
                                  attr_graph("else_branch", branch("Abs", {"x"}, "e"))})},
                           {boolean("c"), f32("x", {2}), f32("k", {2})},
                           {value("y", "")}}));
  };
  EXPECT_THAT(with(node("Neg", {"x"}, {"k"})), HasSubstr("defines 'k' again"));
  EXPECT_THAT(with(node("Constant", {}, {"k"}, {attr_float("value_float", 1)})),
              HasSubstr("defines 'k' again"));
}

// --- opsets

TEST(Deviations, OperatorsBeforeTheirFirstOpset) {
  const GraphParts norm = {
      {node("LayerNormalization", {"x", "g"}, {"y"}, {attr_int("axis", -1)}, {"ln"})},
      {f32("x", {2})},
      {value("y", "")},
      {floats("g", {2}, {1, 1})}};
  const std::string bytes = model(norm, {8, {opset("", 12)}, {}});
  const Imported i = import(bytes);
  EXPECT_THAT(i.model.notes, ElementsAre(AllOf(HasSubstr("LayerNormalization exists from opset 17"),
                                               HasSubstr("imports 12"), HasSubstr("'ln'"))));
  const auto y = floats_in(run(i, {vector_of({1, 3})})[0]);
  EXPECT_NEAR(y[0], -1, 1e-5);
  EXPECT_NEAR(y[1], 1, 1e-5);
  EXPECT_THAT(strict_error(bytes), HasSubstr("exists from opset 17"));
  EXPECT_EQ(strict_error(model(norm, {8, {opset("", 17)}, {}})), "(no error)");

  // alpha is 1 by default.
  const Imported relu =
      import(model({{node("ThresholdedRelu", {"x"}, {"y"})}, {f32("x", {3})}, {value("y", "")}},
                   {3, {opset("", 7)}, {}}));
  EXPECT_THAT(floats_in(run(relu, {vector_of({-2, 1, 1.5f})})[0]), ElementsAre(0, 0, 1.5f));

  EXPECT_THAT(error_of(model({{node("Upsample", {"x"}, {"y"})}, {f32("x", {2})}, {value("y", "")}},
                             {8, {opset("", 10)}, {}})),
              HasSubstr("Upsample is gone from opset 10"));
}

const GraphParts kSoftmax = {
    {node("Softmax", {"x"}, {"y"})}, {f32("x", {1, 2, 2})}, {value("y", "")}};

// Up to opset 12 Softmax summed over all axes from 1 on, 4 elements here; then over the last.
float softmax_share(const Parts& opsets) {
  const Imported i = import(model(kSoftmax, {8, opsets, {}}));
  return floats_in(run(i, {Tensor::of<float>({1, 2, 2}, {0, 0, 0, 0})})[0])[0];
}

TEST(Deviations, OfADomainImportedTwiceTheLastImportCounts) {
  EXPECT_EQ(softmax_share({opset("", 11), opset("ai.onnx", 13)}), 0.5f);
  EXPECT_EQ(softmax_share({opset("ai.onnx", 13), opset("", 11)}), 0.25f);
  EXPECT_EQ(softmax_share({opset("", 13), opset("", 11)}), 0.25f);
  const std::string twice = model(kSoftmax, {8, {opset("", 11), opset("ai.onnx", 13)}, {}});
  EXPECT_THAT(import(twice).model.notes,
              ElementsAre(AllOf(HasSubstr("as opset 11 and as opset 13"), HasSubstr("last"))));
  EXPECT_THAT(strict_error(twice), HasSubstr("imported twice"));
  EXPECT_THAT(import(model(kSoftmax, {8, {opset("", 13), opset("ai.onnx", 13)}, {}})).model.notes,
              ElementsAre(HasSubstr("more than once")));
}

TEST(Deviations, DomainsThatNoNodeUsesMayHaveAnyVersion) {
  for (const int64_t version : {int64_t{9999}, int64_t{0}, int64_t{-3}, int64_t{1} << 62}) {
    EXPECT_EQ(error_of(model(kSoftmax, {8, {opset("", 13), opset("acme", version)}, {}})),
              "(no error)");
    EXPECT_EQ(error_of(model(kSoftmax, {8, {opset("", 13), opset("ai.onnx.ml", version)}, {}})),
              "(no error)");
    EXPECT_THAT(error_of(model({{node("Binarizer", {"x"}, {"y"}, {}, {"", "ai.onnx.ml"})},
                                {f32("x", {2})},
                                {value("y", "")}},
                               {8, {opset("", 13), opset("ai.onnx.ml", version)}, {}})),
                HasSubstr("of domain ai.onnx.ml does not exist"));
    EXPECT_THAT(error_of(model(kSoftmax, {8, {opset("", version)}, {}})),
                HasSubstr("does not exist"));
  }
}

TEST(Deviations, NoOpsetOfTheDefaultDomain) {
  const std::string other = model(kSoftmax, {8, {opset("acme", 1)}, {}});
  EXPECT_EQ(softmax_share({opset("acme", 1)}), 0.5f);
  EXPECT_THAT(import(other).model.notes, ElementsAre(HasSubstr("imports no opset of ai.onnx")));
  EXPECT_THAT(strict_error(other), HasSubstr("imports no opset of ai.onnx"));
  // With no import at all it was opset 1 before IR version 3, and an error since.
  EXPECT_THAT(error_of(model(kSoftmax, {3, {}, {}})), HasSubstr("imports no opset of domain"));
  const Imported old = import(model(kSoftmax, {2, {opset("ai.onnx.ml", 1)}, {}}));
  EXPECT_THAT(old.model.notes, ElementsAre(HasSubstr("taken as opset 1")));
  EXPECT_EQ(floats_in(run(old, {Tensor::of<float>({1, 2, 2}, {0, 0, 0, 0})})[0])[0], 0.25f);
}

// --- types

std::string empty_optional() {
  return message([](Writer& w) { w.add_message(9, std::string()); });
}
std::string sequence_of(const std::string& element) {
  return message([&](Writer& w) {
    w.add_message(4, message([&](Writer& s) {
                    if (!element.empty()) s.add_message(1, element);
                  }));
  });
}

TEST(Deviations, TypesWithoutElementTypeAreInferred) {
  const std::string nothing =
      message([](Writer& w) { w.add_message(1, std::string()); });  // a tensor of what?
  const std::string bytes =
      model({{node("Optional", {"x"}, {"o"}), node("OptionalGetElement", {"o"}, {"t"}),
              node("SequenceConstruct", {"t", "t"}, {"s"}), node("SequenceLength", {"s"}, {"n"}),
              node("Neg", {"t"}, {"y"})},
             {f32("x", {2})},
             {value("y", nothing), value("n", "")},
             {},
             {value("o", empty_optional()), value("s", sequence_of("")), value("t", "")}},
            {8, {opset("", 18)}, {}});
  const Imported i = import(bytes);
  EXPECT_THAT(i.model.notes, ElementsAre(AllOf(HasSubstr("3 declared type(s)"), HasSubstr("y"))));
  const ir::Graph& g = i.graph();
  EXPECT_EQ(to_string(g.value(g.find_value("o")).type), "optional(float32[2])");
  EXPECT_THAT(floats_in(run(i, {vector_of({1, -2})})[0]), ElementsAre(-1, 2));
  EXPECT_THAT(strict_error(bytes), HasSubstr("lack their element type"));
  // An input has nothing that it could be inferred from.
  EXPECT_THAT(error_of(model({{node("OptionalHasElement", {"x"}, {"y"})},
                              {value("x", empty_optional())},
                              {value("y", "")}},
                             {8, {opset("", 18)}, {}})),
              HasSubstr("input 'x' has no type"));
}

// --- the experimental stage

TEST(Deviations, ExperimentalOperatorsRunUntilOpset9) {
  const GraphParts affine = {
      {node("Affine", {"x"}, {"y"}, {attr_float("alpha", 2), attr_float("beta", 3)})},
      {f32("x", {2})},
      {value("y", "")}};
  const Imported i = import(model(affine, {3, {opset("", 9)}, {}}));
  EXPECT_THAT(ops_of(i.graph()), ElementsAre("Mul", "Add"));
  EXPECT_THAT(floats_in(run(i, {vector_of({1, -4})})[0]), ElementsAre(5, -5));
  EXPECT_THAT(error_of(model(affine, {3, {opset("", 10)}, {}})),
              HasSubstr("Affine is gone from opset 10"));
}

}  // namespace
}  // namespace planish::onnx
