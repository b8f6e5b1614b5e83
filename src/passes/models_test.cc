// The passes on real files: the optimised graph gives what the model gave on its recorded inputs,
// and the shipped models come out as small as they should.
#include <filesystem>
#include <map>

#include "io/value_proto.h"
#include "onnx/import.h"
#include "passes/test_util.h"
#include "testing/shared.h"

namespace planish::passes {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sorted(const fs::path& folder) {
  std::vector<fs::path> all_files;
  for (const auto& entry : fs::directory_iterator(folder)) all_files.push_back(entry.path());
  std::ranges::sort(all_files);
  return all_files;
}

// Nothing when the folder holds no inputs for this graph.
std::optional<std::vector<Value>> recorded(const ir::Graph& graph, const fs::path& set) {
  std::vector<Value> inputs;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const fs::path file = set / fmt::format("input_{}.pb", i);
    if (!fs::exists(file)) return std::nullopt;
    inputs.push_back(io::read_value_pb(file.string(), graph.value(graph.inputs()[i]).type));
  }
  return inputs;
}

// Tensors, and what holds tensors.
std::string different(const Value& a, const Value& b, double tolerance) {
  if (a.held.index() != b.held.index()) return "another kind of value";
  if (a.is_tensor()) return difference(a.tensor(), b.tensor(), tolerance);
  if (a.is_map()) return difference(a.map().values, b.map().values, tolerance);
  if (!a.is_sequence()) return {};
  if (a.sequence().size() != b.sequence().size()) return "another length";
  for (size_t i = 0; i < a.sequence().size(); ++i) {
    if (std::string d = different(a.sequence()[i], b.sequence()[i], tolerance); !d.empty())
      return d;
  }
  return {};
}

// Empty when before and after agree: the same outputs, or an error from both.
std::string compare(const ir::Graph& before,
                    const ir::Graph& after,
                    const std::vector<Value>& inputs,
                    double tolerance) {
  std::vector<Value> want;
  try {
    want = interpret(before, inputs);
  } catch (const Error& error) {
    try {
      interpret(after, inputs);
    } catch (const Error&) {
      return {};
    }
    return fmt::format("before the passes it failed: {}", error.what());
  }
  try {
    const std::vector<Value> got = interpret(after, inputs);
    for (size_t i = 0; i < want.size(); ++i) {
      if (const std::string d = different(got.at(i), want[i], tolerance); !d.empty()) {
        return fmt::format("output {}: {}", i, d);
      }
    }
  } catch (const Error& error) {
    return fmt::format("after the passes it fails: {}", error.what());
  }
  return {};
}

struct Optimised {
  onnx::Model model;  // owns the weights
  std::unique_ptr<ir::Graph> after;
  Report report;

  std::map<std::string, int> ops() const {
    std::map<std::string, int> count;
    for (const ir::NodeId id : after->order()) ++count[after->node(id).op];
    return count;
  }
};

Optimised load(const fs::path& file) {
  Optimised o;
  o.model = onnx::import_file(file.string());
  o.after = o.model.graph->clone();
  Context context;
  context.evaluate = evaluate;
  o.report = run(*o.after, context);
  return o;
}

// All recorded inputs beside the model.
void expect_same(const Optimised& o, const fs::path& folder, double tolerance) {
  for (const fs::path& set : sorted(folder)) {
    if (!set.filename().string().starts_with("test_data_set")) continue;
    const auto inputs = recorded(*o.model.graph, set);
    if (!inputs) continue;
    EXPECT_EQ(compare(*o.model.graph, *o.after, *inputs, tolerance), "") << set;
  }
}

TEST(ShippedModels, FashionMnist) {
  const fs::path folder = fs::path(PLANISH_SOURCE_DIR) / "models/fashion_mnist";
  const Optimised o = load(folder / "model.onnx");
  EXPECT_EQ(o.model.graph->order().size(), 35u);
  EXPECT_EQ(o.after->order().size(), 14u);
  auto ops = o.ops();
  EXPECT_EQ(ops["Conv"], 9);
  for (const char* gone : {"BatchNormalization", "Identity", "Relu", "Add"})
    EXPECT_EQ(ops[gone], 0);
  expect_same(o, folder, 1e-4);
}

TEST(ShippedModels, TutorialComesOutAlikeFromBothExporters) {
  const fs::path folder = fs::path(PLANISH_SOURCE_DIR) / "models/tutorial";
  const Optimised a = load(folder / "dynamo/model.onnx");
  const Optimised b = load(folder / "torchscript/model.onnx");
  const std::map<std::string, int> want{
      {"Conv", 1}, {"Gemm", 1}, {"GlobalAveragePool", 1}, {"Reshape", 1}};
  EXPECT_EQ(a.ops(), want);
  EXPECT_EQ(b.ops(), want);
  expect_same(a, folder / "dynamo", 1e-5);
  expect_same(b, folder / "torchscript", 1e-5);
}

// Every model or case under the folder that can be imported.
void sweep(const fs::path& folder, double tolerance, size_t at_least) {
  size_t checked = 0;
  for (const fs::path& entry : sorted(folder)) {
    const fs::path file = entry / "model.onnx";
    if (!fs::exists(file)) continue;
    onnx::Model model;
    try {
      model = onnx::import_file(file.string());
    } catch (const Error&) {
      continue;  // broken on purpose, or an operator that is not there yet
    }
    const auto inputs = recorded(*model.graph, entry / "test_data_set_0");
    if (!inputs) continue;
    const auto after = model.graph->clone();
    Context context;
    context.evaluate = evaluate;
    try {
      run(*after, context);
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::kInternal) << file << error.what();
      continue;
    }
    EXPECT_EQ(compare(*model.graph, *after, *inputs, tolerance), "") << file;
    ++checked;
  }
  EXPECT_GE(checked, at_least) << folder;
}

TEST(HandedModels, SlowTrainedOnesGiveTheSame) {
  PLANISH_NEED_SHARED(folder, "models");
  sweep(folder, 1e-3, 10);
}

TEST(HandedModels, CasesFromReportsGiveTheSame) {
  PLANISH_NEED_SHARED(folder, "cases/reports");
  sweep(folder, 1e-5, 60);
}

}  // namespace
}  // namespace planish::passes
