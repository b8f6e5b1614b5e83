// Runs the passes: phase by phase, each phase to a fixed point, and all phases again until a whole
// cycle changes nothing, because a later phase can open a match for an earlier one (an Identity
// removed between a Conv and its BatchNormalization). After every pass that changed something the
// types are inferred again and the graph is verified, so that the pass that broke it has a name.
#include <algorithm>
#include <limits>
#include <set>

#include "base/clock.h"
#include "ops/op.h"
#include "passes/pass.h"

namespace planish::passes {

#define PLANISH_ENTRY(entry) Pass pass_##entry();
#include "passes/catalog.inc"
#undef PLANISH_ENTRY

namespace {

// Whole cycles over the phases. Two are the rule: one that works and one that finds nothing.
constexpr int kMaxCycles = 10;

constexpr Phase kPhases[] = {Phase::kCanonicalise, Phase::kFold, Phase::kEliminate,
                             Phase::kRecognise, Phase::kFuse};

// In the order of passes.list.
const std::vector<Pass>& registry() {
  static const std::vector<Pass> passes = [] {
    std::vector<Pass> list;
#define PLANISH_ENTRY(entry) list.push_back(pass_##entry());
#include "passes/catalog.inc"
#undef PLANISH_ENTRY
    return list;
  }();
  return passes;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

void check_disabled(const Options& options) {
  for (const std::string& name : options.disabled) {
    std::string_view nearest;
    size_t best = std::numeric_limits<size_t>::max();
    for (const Pass& pass : registry()) {
      const size_t distance = edit_distance(name, pass.name);
      if (distance < best) {
        best = distance;
        nearest = pass.name;
      }
    }
    if (best > 0) {
      fail(ErrorCode::kUsage, "there is no pass '{}'; the nearest name is '{}'", name, nearest);
    }
  }
}

class Manager {
 public:
  Manager(ir::Graph& graph, Context& context, const Options& options)
      : graph_(graph), context_(context), options_(options) {
    for (const Pass& pass : registry()) {
      const bool off = std::ranges::find(options.disabled, pass.name) != options.disabled.end();
      enabled_.push_back(!off);
      report_.timings.push_back({std::string(pass.name), 0, 0, 0});
    }
  }

  Report run() {
    ops::infer(graph_);
    bool changed = true;
    for (int cycle = 0; changed && cycle < kMaxCycles; ++cycle) {
      changed = false;
      for (const Phase phase : kPhases) changed |= run_phase(phase);
    }
    if (changed) unsettled("all phases", kMaxCycles);
    report_.decisions = context_.decisions;
    report_.rewrites = context_.fired;
    return std::move(report_);
  }

 private:
  bool run_phase(Phase phase) {
    bool ever = false;
    for (int round = 0; round < options_.max_rounds; ++round) {
      bool changed = false;
      for (size_t i = 0; i < registry().size(); ++i) {
        if (registry()[i].phase == phase && enabled_[i]) changed |= run_pass(i);
      }
      if (!changed) return ever;
      ever = true;
    }
    unsettled(to_string(phase), options_.max_rounds);
    return ever;
  }

  // The graph is right, but may be optimised further.
  void unsettled(std::string_view what, int rounds) {
    if (!unsettled_.emplace(what).second) return;
    context_.pass = "manager";
    context_.scope.clear();
    ir::Node stand_in;
    stand_in.name = what;
    context_.near_miss(stand_in, fmt::format("still changed the graph after {} rounds", rounds));
  }

  bool run_pass(size_t index) {
    const Pass& pass = registry()[index];
    PassTiming& timing = report_.timings[index];
    const int64_t start = clock_.now_ns();
    const uint64_t before = context_.fired;
    context_.start_pass(pass.name);
    bool changed = false;
    try {
      changed = run_on(pass, graph_, "");
      if (changed) {
        ops::infer(graph_);
        ir::verify(graph_);
      }
    } catch (const Error& error) {
      Error named(error.code(), fmt::format("in pass '{}': {}", pass.name, error.message()));
      if (!error.node().empty()) named.at_node(error.node());
      throw named;
    }
    ++timing.runs;
    timing.rewrites += context_.fired - before;
    timing.seconds += static_cast<double>(clock_.now_ns() - start) * 1e-9;
    return changed;
  }

  // The graph first, then the blocks that are left in it.
  bool run_on(const Pass& pass, ir::Graph& graph, const std::string& scope) {
    context_.scope = scope;
    bool changed = pass.run(graph, context_);
    for (const ir::NodeId id : graph.order()) {
      const ir::Node& node = graph.node(id);
      if (node.blocks.empty()) continue;
      const ops::OpDef* def = ops::find(node.domain, node.op);
      for (size_t b = 0; b < node.blocks.size(); ++b) {
        const std::string name = def != nullptr && b < def->blocks.size()
                                     ? std::string(def->blocks[b])
                                     : fmt::format("block{}", b);
        changed |= run_on(pass, *node.blocks[b], fmt::format("{}{}/{}/", scope, node.name, name));
      }
    }
    return changed;
  }

  ir::Graph& graph_;
  Context& context_;
  const Options& options_;
  SteadyClock clock_;
  std::vector<uint8_t> enabled_;
  std::set<std::string> unsettled_;
  Report report_;
};

}  // namespace

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::kCanonicalise:
      return "canonicalise";
    case Phase::kFold:
      return "fold";
    case Phase::kEliminate:
      return "eliminate";
    case Phase::kRecognise:
      return "recognise";
    case Phase::kFuse:
      return "fuse";
  }
  return "unknown";
}

std::span<const Pass> all() { return registry(); }

Report run(ir::Graph& graph, Context& context, const Options& options) {
  check_disabled(options);
  if (!options.enabled) return {};
  return Manager(graph, context, options).run();
}

}  // namespace planish::passes
