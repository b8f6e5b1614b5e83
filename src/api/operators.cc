#include <algorithm>

#include "api/report.h"
#include "backends/cpu/compile/cpu_backend.h"
#include "ops/op.h"

namespace planish::api {
namespace {

std::string_view runs_on(const ops::OpDef& def) {
  if (def.removed != 0) return "upgrade";  // import leaves none: ops/op.h
  if (!def.blocks.empty()) return "plan";
  return def.domain.empty() && backends::cpu::has_kernels(def.name) ? "cpu" : "reference";
}

}  // namespace

Json operators() {
  std::vector<const ops::OpDef*> defs;
  for (const ops::OpDef& def : ops::all()) defs.push_back(&def);
  std::ranges::sort(defs, {}, [](const ops::OpDef* d) { return std::pair(d->domain, d->name); });
  Json list = Json::array();
  for (const ops::OpDef* def : defs) {
    Json entry;
    entry["domain"] = def->domain.empty() ? "ai.onnx" : def->domain;
    entry["name"] = def->name;
    entry["since"] = def->since;
    if (def->removed != 0) entry["removed"] = def->removed;
    entry["runs_on"] = runs_on(*def);
    entry["epilogue"] = def->epilogue;
    list.push_back(std::move(entry));
  }
  Json report;
  report["newest_opset"] = {{"ai.onnx", ops::kNewestOpset}, {"ai.onnx.ml", ops::kNewestMlOpset}};
  report["operators"] = std::move(list);
  return report;
}

}  // namespace planish::api
