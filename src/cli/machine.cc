#include <fmt/format.h>

#include <memory>

#include "api/report.h"
#include "cli/text.h"
#include "cli/verb.h"

namespace planish::cli {
namespace {

struct Flags {
  bool json = false, quick = false;
};

void print(const Json& r) {
  const auto& caches = r["caches"];
  std::vector<std::pair<std::string, std::string>> rows = {
      {"CPU", r["cpu"]},
      {"instruction sets",
       fmt::format("{}", fmt::join(r["isa"].get<std::vector<std::string>>(), " "))},
      {"kernels used", r["kernels"]},
      {"cores for this process",
       fmt::format("{} of {}", r["cores"].get<int>(), r["logical_cores"].get<int>())},
      {"caches", fmt::format("L1d {}, L2 {}, L3 {}", human_bytes(caches["l1d"].get<double>()),
                             human_bytes(caches["l2"].get<double>()),
                             human_bytes(caches["l3"].get<double>()))},
  };
  const auto& limits = r["limits"];
  const double limit = limits["memory_limit"].get<double>();
  rows.emplace_back(
      "memory", fmt::format("{} available{}", human_bytes(limits["memory_available"].get<double>()),
                            limit > 0 ? ", limit " + human_bytes(limit) + " (" +
                                            limits["source"].get<std::string>() + ")"
                                      : ""));
  if (r.contains("peaks")) {
    const auto& p = r["peaks"];
    rows.emplace_back("FP32 peak, measured",
                      fmt::format("{:.0f} GFLOP/s on 1 thread, {:.0f} on {}",
                                  p["fp32_gflops_1_thread"].get<double>(),
                                  p["fp32_gflops"].get<double>(), r["cores"].get<int>()));
    rows.emplace_back("memory read, measured",
                      fmt::format("{:.1f} GB/s on 1 thread, {:.1f} on {}",
                                  p["memory_read_gbs_1_thread"].get<double>(),
                                  p["memory_read_gbs"].get<double>(), r["cores"].get<int>()));
  }
  fmt::print("{}", table(rows));
}

}  // namespace

PLANISH_VERB(machine) {
  return {"machine", "This machine: CPU, caches, limits, measured peaks",
          [](CLI::App& app) -> std::function<int()> {
            auto flags = std::make_shared<Flags>();
            app.add_flag("--json", flags->json, "Print JSON");
            app.add_flag("--quick", flags->quick, "Measure nothing");
            app.footer("Examples:\n  planish machine\n  planish machine --json --quick");
            return [flags] {
              const Json report = api::machine(!flags->quick);
              flags->json ? print_json(report) : print(report);
              return kDone;
            };
          }};
}

}  // namespace planish::cli
