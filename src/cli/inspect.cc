#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "api/report.h"
#include "cli/text.h"
#include "cli/verb.h"

namespace planish::cli {
namespace {

struct Flags {
  std::string model;
  bool json = false, steps = false;
};

std::string histogram(const Json& counts) {
  std::vector<std::pair<uint64_t, std::string>> sorted;
  for (const auto& [name, n] : counts.items()) sorted.emplace_back(n.get<uint64_t>(), name);
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::string text;
  for (const auto& [n, name] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, name);
  return text.empty() ? "none" : text;
}

void print_bindings(std::string_view title, const Json& list) {
  fmt::print("{}\n", title);
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& b : list) rows.emplace_back(b["name"], b["type"]);
  fmt::print("{}", table(rows));
}

void print(const Json& r, bool steps) {
  print_bindings("inputs", r["inputs"]);
  print_bindings("outputs", r["outputs"]);
  if (r["kind"].get<std::string>() == "onnx") {
    std::string opsets;
    for (const auto& [domain, version] : r["opsets"].items())
      opsets += fmt::format("{}{} {}", opsets.empty() ? "" : ", ", domain, version.get<int64_t>());
    fmt::print(
        "model\n{}",
        table({{"file", human_bytes(r["bytes"].get<double>())},
               {"producer", r["producer"].get<std::string>().empty() ? "unknown" : r["producer"]},
               {"opset", opsets + fmt::format(" (IR version {})", r["ir_version"].get<int64_t>())},
               {"parameters", human_count(r["parameters"].get<double>())},
               {"constants", fmt::format("{} in {}", r["constants"].get<uint64_t>(),
                                         human_bytes(r["constant_bytes"].get<double>()))},
               {"nodes", std::to_string(r["nodes"].get<uint64_t>())},
               {"operators", histogram(r["ops"])}}));
    for (const auto& note : r["notes"]) print_note(note.get<std::string>());
    return;
  }
  const auto& v = r["verification"];
  const std::string checked =
      v["done"].get<bool>() ? fmt::format("{}: largest error {:.3g} ({:.3g} of the largest value)",
                                          v["how"].get<std::string>(), v["max_abs"].get<double>(),
                                          v["max_rel"].get<double>())
                            : "not compared with the reference";
  fmt::print(
      "plan\n{}",
      table({{"file", human_bytes(r["bytes"].get<double>())},
             {"format", fmt::format("{} (Planish {})", r["format_version"].get<int>(),
                                    r["planish_version"].get<std::string>())},
             {"source", r["source"]["name"]},
             {"built for",
              fmt::format("{} on {}, {} threads", r["machine"]["isa"].get<std::string>(),
                          r["machine"]["model"].get<std::string>(), r["threads"].get<int>())},
             {"nodes", fmt::format("{} -> {} by {} rewrites", r["nodes_before"].get<int>(),
                                   r["nodes_after"].get<int>(), r["rewrites"].get<int>())},
             {"programs", std::to_string(r["programs"].get<int>())},
             {"steps", histogram(r["kernels"])},
             {"providers", histogram(r["steps_by_provider"])},
             {"weights", human_bytes(r["weight_bytes"].get<double>())},
             {"verification", checked}}));
  if (!r["fallbacks"].empty()) {
    fmt::print("fallback\n");
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& f : r["fallbacks"]) {
      rows.emplace_back(
          fmt::format("{} ({})", f["node"].get<std::string>(), f["op"].get<std::string>()),
          f["reason"]);
    }
    fmt::print("{}", table(rows));
  }
  if (steps) {
    fmt::print("steps\n");
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& s : r["steps"]) {
      const std::string op = s["op"].get<std::string>();
      rows.emplace_back(
          s["kernel"].get<std::string>() + (op.empty() ? "" : " " + op),
          fmt::format("{}  from {}", s["name"].get<std::string>(),
                      fmt::join(s["onnx_nodes"].get<std::vector<std::string>>(), ", ")));
    }
    fmt::print("{}", table(rows));
  }
}

}  // namespace

PLANISH_VERB(inspect) {
  return {
      "inspect", "What is in an .onnx or a .plan", [](CLI::App& app) -> std::function<int()> {
        auto flags = std::make_shared<Flags>();
        app.add_option("model", flags->model, "An .onnx or .plan file")->required();
        app.add_flag("--json", flags->json, "Print JSON");
        app.add_flag("--steps", flags->steps,
                     "List the steps of a plan and the ONNX nodes they stand for");
        app.footer("Examples:\n  planish inspect model.onnx\n  planish inspect model.plan --steps");
        return [flags] {
          const Json report = api::inspect(flags->model);
          flags->json ? print_json(report) : print(report, flags->steps);
          return kDone;
        };
      }};
}

}  // namespace planish::cli
