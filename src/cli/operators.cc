#include <fmt/format.h>

#include <map>
#include <memory>

#include "api/report.h"
#include "cli/text.h"
#include "cli/verb.h"

namespace planish::cli {
namespace {

struct Flags {
  bool json = false, markdown = false;
};

std::string opsets(const Json& op) {
  const int since = op["since"].get<int>();
  if (!op.contains("removed")) return fmt::format("{}+", since);
  return fmt::format("{} to {}", since, op["removed"].get<int>() - 1);
}

// How many each kind of entry has.
std::map<std::string, int> counts(const Json& r) {
  std::map<std::string, int> out;
  for (const auto& op : r["operators"]) ++out[op["runs_on"].get<std::string>()];
  return out;
}

void print(const Json& r) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& op : r["operators"]) {
    const auto domain = op["domain"].get<std::string>();
    rows.emplace_back((domain == "ai.onnx" ? "" : domain + ".") + op["name"].get<std::string>(),
                      fmt::format("{:9}  opset {}", op["runs_on"].get<std::string>(), opsets(op)));
  }
  fmt::print("{}", table(rows));
  auto n = counts(r);
  fmt::print(
      "{} operators: {} with kernels of the cpu provider, {} as steps of the plan, {} on the "
      "reference alone, {} turned into others on import\n",
      rows.size(), n["cpu"], n["plan"], n["reference"], n["upgrade"]);
}

void print_markdown(const Json& r) {
  auto n = counts(r);
  fmt::print(R"(# Operators

Written by `planish operators --markdown`; a test compares this page with the build.

Models of opset {} and older (ai.onnx), {} and older (ai.onnx.ml), are read; older forms of an operator
are turned into the newest. {} operators are known: {} have kernels of the `cpu` provider, {} are steps of
the plan itself (control flow), {} run on the `reference` provider alone: right, in plain code, slow.
{} that ONNX took back are turned into today's operators on import (*upgrade*).
A kernel may not take every type and shape; `build` lists what fell back, and why. An operator marked
*epilogue* can be taken into the step that makes its input.

)",
             r["newest_opset"]["ai.onnx"].get<int>(), r["newest_opset"]["ai.onnx.ml"].get<int>(),
             r["operators"].size(), n["cpu"], n["plan"], n["reference"], n["upgrade"]);
  std::string domain;
  for (const auto& op : r["operators"]) {
    if (const auto own = op["domain"].get<std::string>(); own != domain) {
      domain = own;
      fmt::print("{}## {}\n\n| operator | opset | runs on | |\n|---|---|---|---|\n",
                 domain == r["operators"][0]["domain"].get<std::string>() ? "" : "\n", domain);
    }
    fmt::print("| {} | {} | {} | {} |\n", op["name"].get<std::string>(), opsets(op),
               op["runs_on"].get<std::string>(), op["epilogue"].get<bool>() ? "epilogue" : "");
  }
}

}  // namespace

PLANISH_VERB(operators) {
  return {
      "operators", "The operators that this build knows, and what runs each",
      [](CLI::App& app) -> std::function<int()> {
        auto flags = std::make_shared<Flags>();
        app.add_flag("--json", flags->json, "Print JSON");
        app.add_flag("--markdown", flags->markdown, "Print docs/operators.md")->excludes("--json");
        app.footer("Examples:\n  planish operators | grep Conv\n  planish operators --json");
        return [flags] {
          const Json report = api::operators();
          if (flags->json) {
            print_json(report);
          } else if (flags->markdown) {
            print_markdown(report);
          } else {
            print(report);
          }
          return kDone;
        };
      }};
}

}  // namespace planish::cli
