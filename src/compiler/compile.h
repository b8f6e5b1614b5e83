// From a graph to a plan: optimise, place every node on a provider, lower, compare with the
// reference.
//
//   onnx::Model model = onnx::import_file("m.onnx");
//   Compiled c = compile(*model.graph, options);
//   plan::write(c.plan, "m.plan");
//
// The plan borrows constants from the graph and from the model's files: keep both until it is
// written or no longer run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.h"
#include "ir/graph.h"
#include "passes/pass.h"
#include "plan/plan.h"
#include "runtime/shapes.h"
#include "runtime/step.h"

namespace planish::compiler {

struct CompileOptions {
  int threads = 1;
  passes::Options passes;
  uint64_t bisect_limit = UINT64_MAX;
  // In order of preference; the last one should be the reference provider.
  std::vector<const backends::Backend*> providers;
  // Providers in which every node must be placed (--require); empty: any.
  std::string require;

  // The end-to-end comparison: on by default.
  bool verify = true;
  const runtime::Registry* registry = nullptr;  // needed to verify
  runtime::ShapeRequest shapes;                 // concrete sizes for it; open dims default to 1
  uint64_t seed = 1;
  double tolerance = 1e-3;  // of the largest reference magnitude, per output

  // A declared shape that the check's run disproves is an error, not a note.
  bool strict = false;

  std::string source_name;  // base name of the model file
  uint64_t source_hash = 0;
  std::function<void(std::string_view stage)> on_stage;  // progress; may be null
};

struct Compiled {
  std::unique_ptr<ir::Graph> graph;  // optimised; owns fold results
  plan::Plan plan;
  passes::Report passes;
  std::vector<std::string> notes;  // sizes that were assumed, and the like
};

// Throws Error: kInvalidModel, kUnsupported (a node that no provider takes, with every reason),
// kMismatch when the plan does not agree with the reference.
Compiled compile(const ir::Graph& model, const CompileOptions& options);

}  // namespace planish::compiler
