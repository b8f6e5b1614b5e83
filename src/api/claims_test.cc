// Whatever a file declares of shapes, the answers are those of the operators: every operator whose
// output shape hangs on data or on run-time arguments, under right, wrong and no declarations.
//
//   PLANISH_CLAIM_PAIRS=10000 build/release/src/api/api_test --gtest_filter='Claims.*'
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <random>

#include "api/session.h"
#include "io/compare.h"
#include "onnx/test_models.h"
#include "ops/op.h"

namespace planish::api {
namespace {

using namespace onnx::testing;
using Rng = std::mt19937_64;

int64_t pick(Rng& rng, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(rng() % static_cast<uint64_t>(high - low + 1));
}

Value ints(const Dims& dims, const std::vector<int64_t>& v) { return Tensor::of<int64_t>(dims, v); }

// Whole numbers, so that sums are exact in any order; one in three is zero.
Value random_floats(Rng& rng, const Dims& dims) {
  std::vector<float> v(static_cast<size_t>(element_count(dims)));
  for (float& x : v) x = pick(rng, 0, 2) == 0 ? 0.0F : static_cast<float>(pick(rng, -8, 8));
  return Tensor::of<float>(dims, v);
}

Value bools(const std::vector<int64_t>& v) {
  Tensor t(DType::kBool, {static_cast<int64_t>(v.size())});
  for (size_t i = 0; i < v.size(); ++i) t.mutable_data<bool>()[i] = v[i] != 0;
  return t;
}

// An operator whose value `t` has a shape that only the run can tell.
struct Pattern {
  std::string op;
  // Fresh arguments: the same dims each time, other contents. Named a, b, c, ...
  std::function<std::vector<Value>(Rng&)> draw;
  // The nodes that make `p + "t"` from a, b, c; every name they define begins with p.
  std::function<Parts(const std::string& p)> nodes;
  int dtype = kF32;  // of t
};

Pattern one(std::string op,
            std::function<std::vector<Value>(Rng&)> draw,
            Names inputs,
            Parts attributes = {},
            int dtype = kF32) {
  std::string type = op.substr(0, op.find('/'));
  return {std::move(op), std::move(draw),
          [=](const std::string& p) { return Parts{node(type, inputs, {p + "t"}, attributes)}; },
          dtype};
}

std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  const auto add = [&](Pattern p) { all.push_back(std::move(p)); };
  add(one("Expand",
          [](Rng& r) -> std::vector<Value> {
            return {random_floats(r, {1, 3}), ints({2}, {pick(r, 0, 4), 3})};
          },
          {"a", "b"}));
  add(one("Expand/longer",
          [](Rng& r) -> std::vector<Value> {
            return {random_floats(r, {2, 1}), ints({3}, {pick(r, 1, 3), 2, pick(r, 0, 3)})};
          },
          {"a", "b"}));
  add(one("Reshape",
          [](Rng& r) -> std::vector<Value> {
            constexpr std::array<int64_t, 6> rows = {1, 2, 3, 4, 6, 12};
            return {random_floats(r, {2, 6}), ints({2}, {rows[r() % rows.size()], -1})};
          },
          {"a", "b"}));
  add(one("Slice",
          [](Rng& r) -> std::vector<Value> {
            return {random_floats(r, {4, 5}), ints({1}, {pick(r, -4, 3)}),
                    ints({1}, {pick(r, -4, 6)}), ints({1}, {pick(r, -2, 1)}),
                    ints({1}, {pick(r, 1, 2)})};
          },
          {"a", "b", "c", "d", "e"}));
  add(one(
      "NonZero", [](Rng& r) -> std::vector<Value> { return {random_floats(r, {2, 3})}; }, {"a"}, {},
      kI64));
  add(one(
      "ConstantOfShape",
      [](Rng& r) -> std::vector<Value> { return {ints({2}, {pick(r, 0, 3), pick(r, 1, 3)})}; },
      {"a"}, {attr_tensor("value", int64s("", {1}, {7}))}, kI64));
  add(one(
      "Range",
      [](Rng& r) -> std::vector<Value> {
        return {ints({}, {pick(r, -3, 3)}), ints({}, {pick(r, -3, 8)}), ints({}, {pick(r, 1, 3)})};
      },
      {"a", "b", "c"}, {}, kI64));
  add(one("Tile",
          [](Rng& r) -> std::vector<Value> {
            return {random_floats(r, {2, 3}), ints({2}, {pick(r, 0, 3), pick(r, 1, 2)})};
          },
          {"a", "b"}));
  const auto compress = [](Rng& r) -> std::vector<Value> {
    return {random_floats(r, {4, 3}),
            bools({pick(r, 0, 1), pick(r, 0, 1), pick(r, 0, 1), pick(r, 0, 1)})};
  };
  add(one("Compress", compress, {"a", "b"}, {attr_int("axis", 0)}));
  add(one("Compress/flat", compress, {"a", "b"}));
  add(one("Unique", [](Rng& r) -> std::vector<Value> { return {random_floats(r, {7})}; }, {"a"}));
  add(one("TopK",
          [](Rng& r) -> std::vector<Value> {
            return {random_floats(r, {2, 5}), ints({1}, {pick(r, 1, 5)})};
          },
          {"a", "b"}));
  all.back().nodes = [](const std::string& p) {
    return Parts{node("TopK", {"a", "b"}, {p + "t", p + "indices"})};
  };
  add(one("OneHot",
          [](Rng& r) -> std::vector<Value> {
            return {ints({3}, {pick(r, 0, 5), pick(r, -2, 5), pick(r, 0, 9)}),
                    ints({}, {pick(r, 1, 6)}), Tensor::of<float>({2}, std::vector<float>{0, 1})};
          },
          {"a", "b", "c"}));
  add(one("Pad",
          [](Rng& r) -> std::vector<Value> {
            return {random_floats(r, {2, 3}),
                    ints({4}, {pick(r, 0, 2), pick(r, -1, 2), pick(r, 0, 2), pick(r, -1, 2)})};
          },
          {"a", "b"}));
  const Names resized = {"a", "", "", "b"}, scaled = {"a", "", "b"};
  add(one("Resize/sizes",
          [](Rng& r) -> std::vector<Value> {
            return {random_floats(r, {1, 1, 2, 3}),
                    ints({4}, {1, 1, pick(r, 1, 5), pick(r, 1, 5)})};
          },
          resized, {attr_string("mode", "nearest")}));
  add(one("Resize/scales",
          [](Rng& r) -> std::vector<Value> {
            const auto s = [&] { return static_cast<float>(pick(r, 1, 3)); };
            return {random_floats(r, {1, 1, 2, 3}),
                    Tensor::of<float>({4}, std::vector<float>{1, 1, s(), s()})};
          },
          scaled, {attr_string("mode", "nearest")}));
  add(one("Squeeze",
          [](Rng& r) -> std::vector<Value> {
            return {random_floats(r, {1, 3, 1}), ints({1}, {pick(r, 0, 1) * 2})};
          },
          {"a", "b"}));
  add(one("Squeeze/any", [](Rng& r) -> std::vector<Value> { return {random_floats(r, {1, 3, 1})}; },
          {"a"}));
  add(one("Unsqueeze",
          [](Rng& r) -> std::vector<Value> {
            return {random_floats(r, {2, 3}), ints({1}, {pick(r, -3, 2)})};
          },
          {"a", "b"}));
  for (const char* reduce : {"ReduceSum", "ReduceMax", "ReduceMean", "ReduceL1"}) {
    for (const int64_t keep : {0, 1}) {
      add(one(fmt::format("{}/{}", reduce, keep),
              [](Rng& r) -> std::vector<Value> {
                return {random_floats(r, {2, 4}), ints({1}, {pick(r, -2, 1)})};
              },
              {"a", "b"}, {attr_int("keepdims", keep)}));
    }
  }
  add(one("Split",
          [](Rng& r) -> std::vector<Value> {
            const int64_t first = pick(r, 0, 4);
            return {random_floats(r, {4, 2}), ints({2}, {first, 4 - first})};
          },
          {"a", "b"}));
  all.back().nodes = [](const std::string& p) {
    return Parts{node("Split", {"a", "b"}, {p + "t", p + "rest"}, {attr_int("axis", 0)})};
  };
  add(one(
      "NonMaxSuppression",
      [](Rng& r) -> std::vector<Value> {
        std::vector<float> boxes, scores;
        for (int i = 0; i < 5; ++i) {
          const auto at = static_cast<float>(pick(r, 0, 3));
          boxes.insert(boxes.end(), {at, at, at + 1, at + 1});
          scores.push_back(static_cast<float>(pick(r, 0, 9)) / 10);
        }
        return {Tensor::of<float>({1, 5, 4}, boxes), Tensor::of<float>({1, 1, 5}, scores),
                ints({1}, {pick(r, 0, 5)})};
      },
      {"a", "b", "c"}, {}, kI64));
  add(one("MaxUnpool",
          [](Rng& r) -> std::vector<Value> {
            return {random_floats(r, {1, 1, 2, 2}), ints({1, 1, 2, 2}, {0, 1, 2, 3}),
                    ints({4}, {1, 1, pick(r, 4, 6), pick(r, 4, 6)})};
          },
          {"a", "b", "c"}, {attr_ints("kernel_shape", {2, 2}), attr_ints("strides", {2, 2})}));
  add(one("SplitToSequence",
          [](Rng& r) -> std::vector<Value> {
            return {random_floats(r, {6, 2}), ints({}, {pick(r, 1, 6)})};
          },
          {}));
  all.back().nodes = [](const std::string& p) {
    return Parts{node("Constant", {}, {p + "zero"}, {attr_tensor("value", int64s("", {}, {0}))}),
                 node("SplitToSequence", {"a", "b"}, {p + "s"}, {attr_int("axis", 0)}),
                 node("SequenceAt", {p + "s", p + "zero"}, {p + "t"})};
  };
  add(one("ConcatFromSequence",
          [](Rng& r) -> std::vector<Value> {
            return {random_floats(r, {6, 2}), ints({1}, {pick(r, 0, 6)})};
          },
          {}));
  all.back().nodes = [](const std::string& p) {
    return Parts{node("Constant", {}, {p + "zero"}, {attr_tensor("value", int64s("", {1}, {0}))}),
                 node("Slice", {"a", p + "zero", "b"}, {p + "part"}),
                 node("SequenceConstruct", {p + "part", "a"}, {p + "s"}),
                 node("ConcatFromSequence", {p + "s"}, {p + "t"}, {attr_int("axis", 0)})};
  };
  add(one("If",
          [](Rng& r) -> std::vector<Value> {
            Tensor cond(DType::kBool, {});
            cond.mutable_data<bool>()[0] = r() % 2 == 0;
            return {random_floats(r, {2, 3}), cond};
          },
          {}));
  all.back().nodes = [](const std::string& p) {
    const auto branch = [&](const char* op, const std::string& name) {
      return graph({{node(op, {"a"}, {p + name})}, {}, {value(p + name, "")}}, name);
    };
    return Parts{node("If", {"b"}, {p + "t"},
                      {attr_graph("then_branch", branch("Flatten", "then")),
                       attr_graph("else_branch", branch("Squeeze", "else"))})};
  };
  add(one(
      "Loop", [](Rng& r) -> std::vector<Value> { return {ints({}, {pick(r, 0, 4)})}; }, {}, {},
      kI64));
  all.back().nodes = [](const std::string& p) {
    const std::string body =
        graph({{node("Identity", {p + "c"}, {p + "go"}), node("Identity", {p + "i"}, {p + "out"})},
               {value(p + "i", tensor_type(kI64, {})), boolean(p + "c")},
               {boolean(p + "go"), value(p + "out", tensor_type(kI64, {}))}},
              "body");
    return Parts{node("Loop", {"a", ""}, {p + "t"}, {attr_graph("body", body)})};
  };
  return all;
}

// What reads t: names of operators that take any shape that they might be given.
struct Consumer {
  const char* op;
  bool twice = false;  // reads t as both inputs
  Parts attributes = {};
  int out = 0;  // dtype of the result; 0: as t
};

std::vector<Consumer> consumers() {
  return {{"Identity"},
          {"Add", true},
          {"Neg"},
          {"Concat", true, {attr_int("axis", -1)}},
          {"Concat", true, {attr_int("axis", 0)}},
          {"Transpose"},
          {"Flatten", false, {attr_int("axis", -1)}},
          {"Shape", false, {}, kI64},
          {"Size", false, {}, kI64},
          {"ReduceSum", false, {attr_int("keepdims", 0)}},
          {"Cast", false, {attr_int("to", kF32)}, kF32},
          {"Softmax", false, {attr_int("axis", -1)}}};
}

enum class Claim : uint8_t { kNone, kRight, kOpen, kWrongDim, kMoreRank, kLessRank };
constexpr int kClaims = 6;

std::string claimed(const std::string& name, int dtype, const Dims& dims, Claim claim, Rng& rng) {
  std::vector<Dim> out(dims.begin(), dims.end());
  switch (claim) {
    case Claim::kNone:
      return value(name, "");
    case Claim::kRight:
      break;
    case Claim::kOpen:
      for (Dim& d : out) {
        if (rng() % 2 == 0) d = std::string(rng() % 2 == 0 ? "N" : "");
      }
      break;
    case Claim::kWrongDim:
      if (!out.empty()) {
        const size_t i = rng() % out.size();
        out[i] = std::get<int64_t>(out[i]) + pick(rng, 1, 3);
      }
      break;
    case Claim::kMoreRank:
      out.insert(out.begin() + static_cast<int64_t>(rng() % (out.size() + 1)), int64_t{1});
      break;
    case Claim::kLessRank:
      if (!out.empty()) out.erase(out.begin() + static_cast<int64_t>(rng() % out.size()));
      break;
  }
  return value(name, tensor_type(dtype, out));
}

bool wrong(Claim claim, const Dims& dims) {
  return claim == Claim::kMoreRank ||
         ((claim == Claim::kLessRank || claim == Claim::kWrongDim) && !dims.empty());
}

int onnx_number(DType dtype) { return static_cast<int>(dtype); }

enum class Place : uint8_t { kMain, kLoop, kIf };

// One model: the pattern, what reads it, where it stands; declarations of t and y are added later.
struct Sketch {
  const Pattern* pattern;
  Consumer consumer;
  Place place;
  bool open_inputs;
  std::vector<Value> first;  // arguments, for their types
};

struct Declared {
  std::string t, y, outer;  // value infos; empty: none
};

std::string build_model(const Sketch& s, const Declared& d) {
  Parts inputs;
  for (size_t i = 0; i < s.first.size(); ++i) {
    const Tensor& t = s.first[i].tensor();
    std::vector<Dim> dims(t.dims().begin(), t.dims().end());
    if (s.open_inputs) {
      for (size_t k = 0; k < dims.size(); ++k)
        dims[k] = fmt::format("{}{}", static_cast<char>('A' + i), k);
    }
    inputs.push_back(value(std::string(1, static_cast<char>('a' + i)),
                           tensor_type(onnx_number(t.dtype()), dims)));
  }
  const auto inner = [&](const std::string& p) {
    Parts nodes = s.pattern->nodes(p);
    Names reads = {p + "t"};
    if (s.consumer.twice) reads.push_back(p + "t");
    nodes.push_back(node(s.consumer.op, reads, {p + "y"}, s.consumer.attributes));
    return nodes;
  };
  const Parts info = d.t.empty() ? Parts{} : Parts{d.t};
  const auto output = [](const std::string& name, const std::string& declared) {
    return declared.empty() ? value(name, "") : declared;
  };
  const ModelParts rest{.opsets = {opset("", 18)}};
  if (s.place == Place::kMain) {
    return model({inner(""), inputs, {output("y", d.y)}, {}, info}, rest);
  }
  if (s.place == Place::kLoop) {
    Parts nodes = inner("");
    nodes.push_back(node("Identity", {"go"}, {"on"}));
    const std::string body = graph({nodes,
                                    {value("i", tensor_type(kI64, {})), boolean("go")},
                                    {boolean("on"), output("y", d.y)},
                                    {},
                                    info},
                                   "body");
    return model({{node("Loop", {"trips", ""}, {"out"}, {attr_graph("body", body)})},
                  inputs,
                  {output("out", d.outer)},
                  {int64s("trips", {}, {2})}},
                 rest);
  }
  Parts again = inner("else_");
  const std::string then_branch = graph({inner(""), {}, {output("y", d.y)}, {}, info}, "then");
  const std::string else_branch = graph({again, {}, {value("else_y", "")}}, "else");
  inputs.push_back(boolean("which"));
  return model(
      {{node("If", {"which"}, {"out"},
             {attr_graph("then_branch", then_branch), attr_graph("else_branch", else_branch)})},
       inputs,
       {output("out", d.outer)}},
      rest);
}

Value truth(bool b) {
  Tensor t(DType::kBool, {});
  t.mutable_data<bool>()[0] = b;
  return t;
}

TEST(Claims, NeverChangeAnAnswer) {
  const char* wanted = std::getenv("PLANISH_CLAIM_PAIRS");
  const char* seed_text = std::getenv("PLANISH_CLAIM_SEED");
  const int64_t pairs = wanted != nullptr ? std::atoll(wanted) : 1500;
  const uint64_t first_seed = seed_text != nullptr ? std::strtoull(seed_text, nullptr, 10) : 1;
  const std::vector<Pattern> all = patterns();
  const std::vector<Consumer> readers = consumers();
  const Providers providers;
  std::map<std::string, int> counts;
  int64_t done = 0, wrong_ones = 0;
  for (uint64_t seed = first_seed; done < pairs; ++seed) {
    ASSERT_LT(seed - first_seed, static_cast<uint64_t>(pairs) * 4) << "too many draws do not run";
    Rng rng(seed);
    Sketch s;
    s.pattern = &all[rng() % all.size()];
    s.consumer = readers[rng() % readers.size()];
    s.place = static_cast<Place>(rng() % 3);
    s.open_inputs = rng() % 2 == 0;
    s.first = s.pattern->draw(rng);
    const auto arguments = [&](std::vector<Value> values) {
      if (s.place == Place::kIf) values.push_back(truth(rng() % 2 == 0));
      return values;
    };
    // The right answers: no declarations at all, and the reference. Some draws have none, such as
    // Softmax over no axis.
    const std::string plain_bytes = build_model(s, {});
    std::vector<std::vector<Value>> runs = {arguments(s.first)};
    std::vector<std::vector<Value>> expected;
    Dims t_dims, y_dims;
    onnx::Model plain;
    try {
      plain = onnx::import_bytes(std::as_bytes(std::span(plain_bytes)));
      for (int i = 0; i < 3; ++i) runs.push_back(arguments(s.pattern->draw(rng)));
      for (const auto& run : runs) {
        std::vector<const Value*> pointers;
        for (const Value& v : run) pointers.push_back(&v);
        ops::InterpretOptions options;
        options.on_value = [&](const ir::Graph&, const ir::ValueDef& def, const Value& v) {
          if (!v.is_tensor()) return;
          if (def.onnx_name == "t") t_dims = v.tensor().dims();
          if (def.onnx_name == "y") y_dims = v.tensor().dims();
        };
        expected.push_back(ops::interpret(*plain.graph, pointers, options));
      }
    } catch (const Error&) {
      continue;
    }
    const int y_dtype = s.consumer.out != 0 ? s.consumer.out : s.pattern->dtype;
    const auto claim = [&] { return static_cast<Claim>(rng() % kClaims); };
    const Claim of_t = claim(), of_y = claim();
    const Claim of_outer = s.place == Place::kMain ? Claim::kNone : claim();
    const Dims outer_dims = expected.back()[0].tensor().dims();
    if (of_t == Claim::kNone && of_y == Claim::kNone && of_outer == Claim::kNone) continue;
    const std::string bytes = build_model(s, {claimed("t", s.pattern->dtype, t_dims, of_t, rng),
                                              claimed("y", y_dtype, y_dims, of_y, rng),
                                              claimed("out", y_dtype, outer_dims, of_outer, rng)});
    SCOPED_TRACE(fmt::format("PLANISH_CLAIM_SEED={}: {} read by {}, place {}, claims {} {} {}",
                             seed, s.pattern->op, s.consumer.op, static_cast<int>(s.place),
                             static_cast<int>(of_t), static_cast<int>(of_y),
                             static_cast<int>(of_outer)));
    try {
      const onnx::Model model = onnx::import_bytes(std::as_bytes(std::span(bytes)));
      for (const char* provider : {"cpu", "reference"}) {
        compiler::CompileOptions options;
        options.providers = providers.order(provider);
        options.registry = &providers.registry();
        options.verify = rng() % 8 == 0;
        options.shapes.dims = {};
        const compiler::Compiled compiled = compiler::compile(*model.graph, options);
        runtime::Context context(compiled.plan, providers.registry());
        for (size_t r = 0; r < runs.size(); ++r) {
          for (size_t i = 0; i < runs[r].size(); ++i) context.set_input(i, runs[r][i]);
          context.run();
          const io::Comparison c =
              io::compare_values(context.output(0), expected[r][0], {.rtol = 1e-5, .atol = 1e-6});
          ASSERT_TRUE(c.equal) << provider << ", run " << r << ": " << c.where << c.problem;
        }
        // The last run is the one that the declarations were made from.
        const Claim of_output = s.place == Place::kMain ? of_y : of_outer;
        const Dims& output_dims = s.place == Place::kMain ? y_dims : outer_dims;
        if (wrong(of_output, output_dims)) {
          EXPECT_GT(model.notes.size() + context.notes().size(), 0u) << "nobody was told";
        } else {
          EXPECT_THAT(context.notes(), ::testing::IsEmpty());
        }
      }
    } catch (const Error& e) {
      FAIL() << e.what();
    }
    ++counts[s.pattern->op];
    ++done;
    wrong_ones += wrong(of_t, t_dims) || wrong(of_y, y_dims) || wrong(of_outer, outer_dims) ? 1 : 0;
  }
  for (const Pattern& p : all) EXPECT_GT(counts[p.op], 0) << p.op << " was never drawn";
  RecordProperty("pairs", std::to_string(done));
  std::printf(
      "%lld (operator, declaration) pairs over %zu operators, %lld of them wrong: all right\n",
      static_cast<long long>(done), all.size(), static_cast<long long>(wrong_ones));
}

TEST(Claims, StrictRefusesAWrongOne) {
  const std::string bytes =
      model({{node("Relu", {"x"}, {"y"})}, {f32("x", {2, 3})}, {f32("y", {2, 4})}});
  const onnx::Model lenient = onnx::import_bytes(std::as_bytes(std::span(bytes)));
  EXPECT_THAT(lenient.notes, ::testing::ElementsAre(::testing::AllOf(::testing::HasSubstr(
                                 "'y' is declared float32[2, 4], inferred as float32[2, 3]"))));
  try {
    onnx::import_bytes(std::as_bytes(std::span(bytes)), {.strict = true});
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidModel);
    EXPECT_THAT(e.what(), ::testing::HasSubstr("--strict"));
  }
}

TEST(Claims, BuildTellsOfWhatItsRunDisproves) {
  const std::string bytes = model({{node("NonZero", {"x"}, {"t"}), node("Neg", {"t"}, {"y"})},
                                   {f32("x", {2, 3})},
                                   {value("y", "")},
                                   {},
                                   {value("t", tensor_type(kI64, {3, 6}))}});
  const onnx::Model m = onnx::import_bytes(std::as_bytes(std::span(bytes)));
  // Inference knows the first dim, so import tells already.
  EXPECT_THAT(m.notes, ::testing::ElementsAre(::testing::HasSubstr("'t' is declared int64[3, 6]")));

  const std::string open = model({{node("NonZero", {"x"}, {"t"}), node("Neg", {"t"}, {"y"})},
                                  {f32("x", {2, 3})},
                                  {value("y", "")},
                                  {},
                                  {value("t", tensor_type(kI64, {2, 99}))}});
  const onnx::Model late = onnx::import_bytes(std::as_bytes(std::span(open)));
  EXPECT_THAT(late.notes, ::testing::IsEmpty());
  const Providers providers;
  compiler::CompileOptions options;
  options.providers = providers.order("cpu");
  options.registry = &providers.registry();
  EXPECT_THAT(compiler::compile(*late.graph, options).notes,
              ::testing::ElementsAre(
                  ::testing::HasSubstr("'t' is declared int64[2, 99], came out as int64[2, 6]")));
  options.strict = true;
  EXPECT_THROW(compiler::compile(*late.graph, options), Error);
}

}  // namespace
}  // namespace planish::api
