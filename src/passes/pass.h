// A pass is a small named rewrite of an ir::Graph: one file, one line in passes.list.
//
// The manager runs passes in phases to a fixed point, times each, can leave each out by name, and
// verifies the graph after each. Every single rewrite asks the one counter for permission first
// (bisection) and leaves a decision record (explain).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "ir/graph.h"

namespace planish::passes {

enum class Phase : uint8_t { kCanonicalise, kFold, kEliminate, kRecognise, kFuse };
std::string_view to_string(Phase phase);

// One rewrite that happened, or a near miss with the reason why not.
struct Decision {
  uint64_t sequence = 0;  // number of the rewrite, from 1; 0 for a near miss
  std::string pass;
  bool fired = false;
  std::string node;                     // name of the node it was about
  std::vector<std::string> provenance;  // ONNX nodes concerned
  std::string what;                     // "folded BatchNormalization bn1 into Conv conv1"
};

class Context {
 public:
  // Executes one node on constant inputs; null: no folding.
  std::function<std::vector<Value>(const ir::Node&, std::span<const Value* const>)> evaluate;
  uint64_t bisect_limit = UINT64_MAX;  // rewrites numbered above this do not fire
  std::vector<uint64_t> left_out;      // single rewrites that must not fire
  int64_t max_folded_bytes =
      int64_t{64} << 20;  // a fold result larger than this and than its inputs is not kept

  // Asks to rewrite; false: leave it. Call after the match is certain, before the first change.
  // A refusal is recorded and holds: the same rewrite is refused without a number from then on.
  bool fire(const ir::Node& node, std::string what);
  // Says why a rewrite that nearly matched did not. The manager keeps what a pass says in its last
  // run, which describes the finished graph.
  void near_miss(const ir::Node& node, std::string why);
  // Forgets the near misses of `pass`: it is about to run again.
  void start_pass(std::string_view name);

  std::string_view pass;  // set by the manager
  std::string scope;      // names of the blocks around the graph: "if_3/then_branch/"
  std::vector<Decision> decisions;
  uint64_t fired = 0;  // rewrites that happened

 private:
  uint64_t asked_ = 0;             // numbers given out
  std::set<std::string> refused_;  // rewrites that were refused, by pass, node and text
  std::set<std::string> missed_;   // near misses of the present run
};

struct Pass {
  std::string_view name;
  Phase phase;
  std::string_view summary;  // one line for --help and docs
  // Returns whether the graph changed. Does not descend into blocks: the manager does.
  bool (*run)(ir::Graph& graph, Context& context);
};

std::span<const Pass> all();

struct PassTiming {
  std::string pass;
  uint64_t runs = 0, rewrites = 0;
  double seconds = 0;
};

struct Options {
  bool enabled = true;                // --passes none
  std::vector<std::string> disabled;  // names; an unknown one is kUsage with the nearest name
  int max_rounds = 50;                // per phase; reaching it is reported, not an error
};

struct Report {
  std::vector<Decision> decisions;
  std::vector<PassTiming> timings;
  uint64_t rewrites = 0;
};

// Optimises in place, re-infers types after changes, verifies after every pass that changed.
Report run(ir::Graph& graph, Context& context, const Options& options = {});

#define PLANISH_PASS(entry) ::planish::passes::Pass pass_##entry()

}  // namespace planish::passes
