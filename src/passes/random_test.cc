// Every pass on random graphs around its pattern (random_graphs_test.h): alone and with all others
// the optimised graph must compute what the graph did.
//
//   PLANISH_RANDOM_GRAPHS=100000   how many graphs (default: a few thousand)
//   PLANISH_RANDOM_SEED=17         starts with this one; without a number of graphs, only this one
//   PLANISH_RANDOM_OUT=DIR         where failing graphs are written, as .onnx and .txt
//
// A failure names the seed and shows the graph made small.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "onnx/export.h"
#include "passes/match.h"
#include "passes/random_check_test.h"
#include "passes/rewrite.h"
#include "passes/test_util.h"

namespace planish::passes {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

// Some seconds of a release build.
constexpr uint64_t kGraphs = kSanitized ? 600 : 6000;
// From this many on, every kind of rewrite must have come up kOften times.
constexpr uint64_t kManyGraphs = 100'000;
constexpr uint64_t kOften = 1000;
// A wrong pass fails often; a few small graphs tell enough.
constexpr int kMaxFailures = 8;

uint64_t number(const char* variable, uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

// Passes with many kinds of rewrites get more graphs.
const Source& source_for(uint64_t seed) {
  static const std::vector<const Source*> shares = [] {
    std::vector<const Source*> list;
    for (const Pass& pass : all()) {
      for (const Source& source : sources()) {
        if (source.pass == pass.name)
          list.insert(list.end(), source.kinds.size() * source.share, &source);
      }
    }
    return list;
  }();
  return *shares.at(seed % shares.size());
}

Optimiser optimiser(const Options& options) {
  return [options](ir::Graph& graph) { return optimise_with(graph, options); };
}

// Writes the graph to look at it with other tools; says where.
std::string store(const Sample& sample, uint64_t seed) {
  const char* folder = std::getenv("PLANISH_RANDOM_OUT");
  const std::filesystem::path stem =
      std::filesystem::path(folder == nullptr ? ::testing::TempDir() : folder) /
      fmt::format("planish_random_{}", seed);
  std::ofstream(stem.string() + ".txt") << describe(sample);
  try {
    const std::unique_ptr<ir::Graph> graph = sample.graph->clone();
    ops::infer(*graph);
    onnx::write_file(onnx::export_graph(*graph).model(), stem.string() + ".onnx");
  } catch (const Error& error) {
    return fmt::format("{}.txt (as .onnx: {})", stem.string(), error.what());
  }
  return stem.string() + ".onnx";
}

std::string report(const Sample& sample,
                   uint64_t seed,
                   std::string_view how,
                   const Optimiser& optimise,
                   const Failure& failure) {
  const Sample small = shrink(copy(sample), optimise, failure);
  const std::optional<Failure> last = check(small, optimise);
  return fmt::format("PLANISH_RANDOM_SEED={}, {}: {}\n{}{}\n{}\n", seed, how, failure.kind,
                     describe(small), last ? last->text : failure.text, store(small, seed));
}

TEST(RandomGraphs, EveryPassHasAGenerator) {
  for (const Pass& pass : all()) {
    EXPECT_EQ(std::ranges::count(sources(), pass.name, &Source::pass), 1)
        << "PLANISH_GRAPHS(" << pass.name << ", ...) belongs into src/passes/" << pass.name
        << "_graphs_test.cc";
  }
  EXPECT_EQ(sources().size(), all().size());
}

TEST(RandomGraphs, ComputeTheSameOptimised) {
  const bool one = std::getenv("PLANISH_RANDOM_SEED") != nullptr;
  const uint64_t first = number("PLANISH_RANDOM_SEED", 1);
  const uint64_t count = number("PLANISH_RANDOM_GRAPHS", one ? 1 : kGraphs);
  Tally tally;
  uint64_t rejected = 0;
  int failures = 0;
  for (uint64_t seed = first; seed < first + count && failures < kMaxFailures; ++seed) {
    const Source& source = source_for(seed);
    const Sample sample = make_sample(source, seed, &rejected);
    const Optimiser whole = optimiser({});
    const Optimiser alone = optimiser(only({source.pass}));
    if (one && count == 1) std::cout << describe(sample);
    if (const auto failure = check(sample, whole, &tally)) {
      ++failures;
      ADD_FAILURE() << report(sample, seed, "all passes", whole, *failure);
    } else if (const auto lonely = check(sample, alone)) {
      ++failures;
      ADD_FAILURE() << report(sample, seed, source.pass, alone, *lonely);
    }
  }
  fmt::print(
      "{} graphs ({} tries gave none), {} runs compared, {} of them by shape only, {} "
      "refused by the graph\n",
      count, rejected, tally.runs, tally.loose, tally.failing);
  if (one && count < kManyGraphs) return;
  for (const Source& source : sources()) {
    uint64_t of_pass = 0;
    for (const std::string& kind : source.kinds) {
      const uint64_t fired = tally.fired[fmt::format("{}: {}", source.pass, kind)];
      of_pass += fired;
      EXPECT_GE(fired, count >= kManyGraphs ? kOften : 0) << source.pass << ": " << kind;
    }
    EXPECT_GE(of_pass, 1u) << source.pass;
  }
  for (const auto& [kind, fired] : tally.fired) {
    fmt::print("{:8} {}\n", fired, kind);
    EXPECT_EQ(kind.find(" ? "), std::string::npos) << "a kind of rewrite that no generator names";
  }
}

// --- the tester itself

// Takes Neg(Neg(x)) as Neg(x).
bool run_broken(ir::Graph& graph, Context& context) {
  bool changed = false;
  for (const ir::NodeId id : std::vector(graph.order())) {
    const ir::Node& node = graph.node(id);
    if (!is_plain(node, "Neg") || unused(graph, node.outputs[0])) continue;
    const ir::Node* before = producer(graph, node.inputs[0]);
    if (before == nullptr || !is_plain(*before, "Neg")) continue;
    if (!context.fire(node, "broken on purpose")) continue;
    graph.set_input(id, 0, before->inputs[0]);
    changed = true;
  }
  return changed;
}

TEST(RandomGraphs, AWrongPassIsFoundAndItsGraphIsSmall) {
  const Optimiser broken = [](ir::Graph& graph) {
    Context context;
    context.pass = "broken";
    run_broken(graph, context);
    return context.decisions;
  };
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    const Sample sample = make_sample(source_for(seed), seed);
    const auto failure = check(sample, broken);
    if (!failure) continue;
    const Sample small = shrink(copy(sample), broken, *failure);
    EXPECT_EQ(small.graph->order().size(), 2u) << describe(small);
    EXPECT_EQ(small.graph->outputs().size(), 1u);
    EXPECT_LE(small.graph->inputs().size(), 1u);
    EXPECT_TRUE(check(small, broken));
    EXPECT_TRUE(std::filesystem::exists(store(small, seed)));
    // The same seed gives the same graph.
    EXPECT_EQ(describe(make_sample(source_for(seed), seed)), describe(sample));
    fmt::print("found with seed {}\n", seed);
    return;
  }
  FAIL() << "not found";
}

}  // namespace
}  // namespace planish::passes
