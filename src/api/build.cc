#include <chrono>
#include <filesystem>

#include "api/report.h"
#include "api/session.h"
#include "base/error.h"
#include "base/hash.h"

namespace planish::api {
namespace {

class Stopwatch {
 public:
  // Seconds since the last call (or the start).
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

Json placements(const plan::Plan& plan) {
  Json fallbacks = Json::array();
  std::map<std::string, int> by_provider;
  for (const plan::Placement& p : plan.placements) {
    ++by_provider[p.provider];
    if (p.fallback) {
      fallbacks.push_back({{"node", p.node},
                           {"op", p.op},
                           {"provider", p.provider},
                           {"reason", p.reason},
                           {"onnx_nodes", p.provenance}});
    }
  }
  return {{"nodes_by_provider", by_provider}, {"fallbacks", fallbacks}};
}

}  // namespace

Json build(const BuildRequest& request) {
  Stopwatch watch;
  Json seconds = Json::object();
  const auto stage = [&](std::string_view name) {
    if (request.on_stage) request.on_stage(name);
  };
  stage("import");
  const MappedFile file = MappedFile::open(request.model);
  try {
    if (plan::looks_like_plan(file.bytes()))
      fail(ErrorCode::kUsage, "this is a plan already; build takes an .onnx");
    const onnx::Model model = onnx::import_file(request.model, {.strict = request.strict});
    seconds["import"] = watch.lap();

    const Providers providers;
    compiler::CompileOptions options;
    options.threads = request.threads > 0 ? request.threads : default_threads();
    options.passes = request.passes;
    options.bisect_limit = request.bisect_limit;
    options.providers = providers.order(request.provider);
    options.require = request.require;
    options.verify = request.verify;
    options.strict = request.strict;
    options.registry = &providers.registry();
    options.shapes = request.shapes;
    options.seed = request.seed;
    options.tolerance = request.tolerance;
    options.source_name = std::filesystem::path(request.model).filename().string();
    options.source_hash = hash_bytes(file.bytes());
    std::string current;
    options.on_stage = [&](std::string_view name) {
      if (!current.empty()) seconds[current] = watch.lap();
      current = name;
      stage(name);
    };
    const compiler::Compiled compiled = compiler::compile(*model.graph, options);
    if (!current.empty()) seconds[current] = watch.lap();
    if (!request.output.empty()) {
      stage("write");
      plan::write(compiled.plan, request.output);
      seconds["write"] = watch.lap();
    }

    const plan::Plan& plan = compiled.plan;
    size_t steps = 0;
    for (const auto& p : plan.programs) steps += p.steps.size();
    Json rewrites = Json::object();
    for (const auto& t : compiled.passes.timings) {
      if (t.rewrites > 0) rewrites[t.pass] = t.rewrites;
    }
    std::vector<std::string> notes = model.notes;
    notes.insert(notes.end(), compiled.notes.begin(), compiled.notes.end());
    Json report;
    report["model"] = request.model;
    report["plan"] = request.output;
    report["threads"] = plan.threads;
    report["nodes_before"] = plan.facts.nodes_before;
    report["nodes_after"] = plan.facts.nodes_after;
    report["steps"] = steps;
    report["rewrites"] = plan.facts.rewrites;
    report["rewrites_by_pass"] = rewrites;
    report["weight_bytes_before"] = plan.facts.weight_bytes_before;
    report["weight_bytes_after"] = plan.facts.weight_bytes_after;
    report["model_bytes"] = file.bytes().size();
    report["plan_bytes"] = request.output.empty() ? 0 : std::filesystem::file_size(request.output);
    report["placement"] = placements(plan);
    const plan::Evidence& e = plan.evidence;
    report["verification"] = {
        {"done", e.done},       {"how", e.how},         {"outputs", e.outputs},    {"seed", e.seed},
        {"max_abs", e.max_abs}, {"max_rel", e.max_rel}, {"tolerance", e.tolerance}};
    report["seconds"] = seconds;
    report["notes"] = notes;
    return report;
  } catch (Error& e) {
    e.in_file(request.model);
    throw;
  }
}

}  // namespace planish::api
