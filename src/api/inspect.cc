#include <map>
#include <set>

#include "api/report.h"
#include "api/session.h"
#include "base/error.h"
#include "onnx/document.h"

namespace planish::api {
namespace {

Json bindings(const std::vector<plan::Binding>& list) {
  Json out = Json::array();
  for (const auto& b : list) out.push_back({{"name", b.name}, {"type", b.type}});
  return out;
}

std::string op_name(const std::string& domain, const std::string& op) {
  return domain.empty() ? op : domain + "." + op;
}

struct Counts {
  uint64_t nodes = 0, parameters = 0, constants = 0, constant_bytes = 0;
  std::map<std::string, uint64_t> ops;
};

void count(const ir::Graph& graph, Counts& c, std::set<const void*>& seen) {
  for (ir::ValueId v = 0; v < graph.value_count(); ++v) {
    const ir::ValueDef& def = graph.value(v);
    // Blocks repeat outer constants as views of the same bytes.
    if (!def.is_constant() || (def.uses.empty() && !graph.is_output(v))) continue;
    if (def.constant->raw() != nullptr && !seen.insert(def.constant->raw()).second) continue;
    ++c.constants;
    c.constant_bytes += static_cast<uint64_t>(def.constant->bytes());
    if (is_floating(def.constant->dtype()))
      c.parameters += static_cast<uint64_t>(def.constant->size());
  }
  for (const ir::NodeId id : graph.order()) {
    const ir::Node& node = graph.node(id);
    ++c.nodes;
    ++c.ops[op_name(node.domain, node.op)];
    for (const auto& block : node.blocks) count(*block, c, seen);
  }
}

Json inspect_model(const std::string& path, uint64_t bytes) {
  const onnx::Model model = onnx::import_file(path);
  const ir::Graph& graph = *model.graph;
  Counts c;
  std::set<const void*> seen;
  count(graph, c, seen);
  const auto values = [&](const std::vector<ir::ValueId>& ids) {
    Json out = Json::array();
    for (const ir::ValueId v : ids) {
      const ir::ValueDef& def = graph.value(v);
      out.push_back({{"name", def.onnx_name.empty() ? def.name : def.onnx_name},
                     {"type", to_string(def.type)}});
    }
    return out;
  };
  Json opsets = Json::object();
  for (const auto& [domain, version] : graph.opset_imports)
    opsets[domain.empty() ? "ai.onnx" : domain] = version;
  Json report;
  report["kind"] = "onnx";
  report["file"] = path;
  report["bytes"] = bytes;
  report["producer"] = graph.producer;
  report["ir_version"] = graph.ir_version;
  report["opsets"] = opsets;
  report["inputs"] = values(graph.inputs());
  report["outputs"] = values(graph.outputs());
  report["nodes"] = c.nodes;
  report["ops"] = c.ops;
  report["constants"] = c.constants;
  report["parameters"] = c.parameters;
  report["constant_bytes"] = c.constant_bytes;
  report["metadata"] = graph.metadata;
  report["notes"] = model.notes;
  return report;
}

Json inspect_plan(const std::string& path, uint64_t bytes) {
  const auto opened = plan::open(path, {.threads = static_cast<unsigned>(default_threads())});
  const plan::Plan& plan = opened->plan;
  std::map<std::string, uint64_t> kernels;
  std::map<std::string, uint64_t> providers;
  Json steps = Json::array();
  for (const auto& program : plan.programs) {
    for (const auto& step : program.steps) {
      ++kernels[step.kernel];
      const std::string provider =
          step.kernel.starts_with("control.") ? "runtime" : plan.providers[step.provider];
      ++providers[provider];
      steps.push_back({{"program", program.name},
                       {"name", step.name},
                       {"kernel", step.kernel},
                       {"op", step.args.get_string("@op", "")},
                       {"provider", provider},
                       {"flops", step.flops},
                       {"onnx_nodes", step.provenance}});
    }
  }
  Json fallbacks = Json::array();
  for (const auto& p : plan.placements) {
    if (p.fallback)
      fallbacks.push_back(
          {{"node", p.node}, {"op", p.op}, {"provider", p.provider}, {"reason", p.reason}});
  }
  const plan::Evidence& e = plan.evidence;
  Json report;
  report["kind"] = "plan";
  report["file"] = path;
  report["bytes"] = bytes;
  report["format_version"] = plan.format_version;
  report["planish_version"] = plan.planish_version;
  report["source"] = {{"name", plan.source_name},
                      {"hash", fmt::format("{:016x}", plan.source_hash)}};
  report["machine"] = {{"isa", plan.machine.isa}, {"model", plan.machine.model}};
  report["threads"] = plan.threads;
  report["options"] = plan.options;
  report["inputs"] = bindings(plan.inputs);
  report["outputs"] = bindings(plan.outputs);
  report["nodes_before"] = plan.facts.nodes_before;
  report["nodes_after"] = plan.facts.nodes_after;
  report["rewrites"] = plan.facts.rewrites;
  report["programs"] = plan.programs.size();
  report["kernels"] = kernels;
  report["steps_by_provider"] = providers;
  report["steps"] = steps;
  report["weight_bytes"] = plan.weights_bytes;
  report["fallbacks"] = fallbacks;
  report["verification"] = {{"done", e.done},
                            {"how", e.how},
                            {"max_abs", e.max_abs},
                            {"max_rel", e.max_rel},
                            {"tolerance", e.tolerance}};
  report["metadata"] = plan.metadata;
  return report;
}

}  // namespace

Json inspect(const std::string& path) {
  const MappedFile file = MappedFile::open(path);
  try {
    return plan::looks_like_plan(file.bytes()) ? inspect_plan(path, file.bytes().size())
                                               : inspect_model(path, file.bytes().size());
  } catch (Error& e) {
    e.in_file(path);
    throw;
  }
}

}  // namespace planish::api
