#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "api/report.h"
#include "base/error.h"
#include "cli/options.h"
#include "cli/text.h"
#include "cli/verb.h"

namespace planish::cli {
namespace {

struct Flags {
  api::BuildRequest request;
  PassFlags passes;
  ShapeFlags shapes;
  std::string timing_cache;
  int level = 0;
  bool json = false, no_verify = false;
};

void print(const Json& r) {
  for (const auto& note : r["notes"]) print_note(note.get<std::string>());
  std::string by_pass;
  for (const auto& [name, n] : r["rewrites_by_pass"].items())
    by_pass += fmt::format("{}{} {}", by_pass.empty() ? "" : ", ", n.get<uint64_t>(), name);
  std::string providers;
  for (const auto& [name, n] : r["placement"]["nodes_by_provider"].items())
    providers += fmt::format("{}{} on {}", providers.empty() ? "" : ", ", n.get<uint64_t>(), name);
  const auto& v = r["verification"];
  double total = 0;
  std::string stages;
  for (const auto& [name, s] : r["seconds"].items()) {
    total += s.get<double>();
    stages +=
        fmt::format("{}{} {}", stages.empty() ? "" : ", ", name, human_seconds(s.get<double>()));
  }
  std::vector<std::pair<std::string, std::string>> rows = {
      {"nodes", fmt::format("{} -> {}, {} steps", r["nodes_before"].get<int>(),
                            r["nodes_after"].get<int>(), r["steps"].get<int>())},
      {"rewrites", by_pass.empty() ? "none" : by_pass},
      {"constants", fmt::format("{} -> {}", human_bytes(r["weight_bytes_before"].get<double>()),
                                human_bytes(r["weight_bytes_after"].get<double>()))},
      {"placement", providers},
      {"verification",
       v["done"].get<bool>()
           ? fmt::format("{}: largest error {:.3g}, {:.3g} of the largest value (allowed {:.3g})",
                         v["how"].get<std::string>(), v["max_abs"].get<double>(),
                         v["max_rel"].get<double>(), v["tolerance"].get<double>())
           : "none"},
      {"time", fmt::format("{} ({})", human_seconds(total), stages)},
  };
  if (!r["plan"].get<std::string>().empty()) {
    rows.emplace_back("written", fmt::format("{}, {} (model {})", r["plan"].get<std::string>(),
                                             human_bytes(r["plan_bytes"].get<double>()),
                                             human_bytes(r["model_bytes"].get<double>())));
  }
  fmt::print("{}", table(rows));
  const auto& fallbacks = r["placement"]["fallbacks"];
  if (fallbacks.empty()) return;
  // The same operator falls back for the same reason many times: one line each.
  std::vector<std::pair<std::string, int>> lines;
  for (const auto& f : fallbacks) {
    const std::string line =
        fmt::format("{} on {}: {}", f["op"].get<std::string>(), f["provider"].get<std::string>(),
                    f["reason"].get<std::string>());
    const auto it = std::ranges::find(lines, line, &std::pair<std::string, int>::first);
    it == lines.end() ? lines.emplace_back(line, 1)
                      : std::pair<std::string, int>(line, ++it->second);
  }
  fmt::print(
      "fallback: {} nodes are not on the first provider (--require cpu makes this an error)\n",
      fallbacks.size());
  constexpr size_t kShown = 12;
  for (size_t i = 0; i < std::min(lines.size(), kShown); ++i)
    fmt::print("  {}x {}\n", lines[i].second, lines[i].first);
  if (lines.size() > kShown)
    fmt::print("  and {} more kinds (--json lists all)\n", lines.size() - kShown);
}

}  // namespace

PLANISH_VERB(build) {
  return {
      "build", "Optimise a model, check it against the reference, write a plan",
      [](CLI::App& app) -> std::function<int()> {
        auto f = std::make_shared<Flags>();
        app.add_option("model", f->request.model, "An .onnx file")->required();
        app.add_option("-o,--output", f->request.output, "The .plan to write")->required();
        app.add_option("--threads", f->request.threads,
                       "Workers of a run (default: the cores of this process, at most 8)")
            ->check(CLI::Range(1, 1024));
        f->passes.add(app);
        f->shapes.add(app);
        app.add_option("--provider", f->request.provider, "First choice: cpu or reference");
        app.add_option("--require", f->request.require,
                       "Fail unless every node runs on this provider");
        app.add_option("--seed", f->request.seed, "Of the random inputs of the check");
        app.add_option("--tolerance", f->request.tolerance,
                       "Largest error allowed, as a share of the largest value of each output");
        app.add_flag("--no-verify", f->no_verify, "Leave the comparison with the reference out");
        app.add_option("--bisect-limit", f->request.bisect_limit, "Stop after this many rewrites");
        app.add_option("--level", f->level,
                       "Tuning effort 0 to 5 (kernels are not tuned yet: no effect)")
            ->check(CLI::Range(0, 5));
        app.add_option("--timing-cache", f->timing_cache,
                       "File with measured kernel times (no effect yet)");
        add_strict(app, f->request.strict);
        app.add_flag("--json", f->json, "Print JSON");
        app.footer(
            "Examples:\n  planish build model.onnx -o model.plan\n  planish build model.onnx -o "
            "model.plan --threads 2 --dim N=8\n"
            "  planish build model.onnx -o model.plan --passes none --json");
        return [f] {
          f->request.passes = f->passes.parse();
          f->request.shapes = f->shapes.parse();
          f->request.verify = !f->no_verify;
          Json report;
          {
            Progress progress(!f->json);
            f->request.on_stage = [&](std::string_view stage) {
              progress.show(fmt::format("{} ...", stage));
            };
            report = api::build(f->request);
          }
          f->json ? print_json(report) : print(report);
          return kDone;
        };
      }};
}

}  // namespace planish::cli
