#include "compiler/compile.h"

#include <algorithm>

#include "base/cpu.h"
#include "base/error.h"
#include "compiler/evidence.h"
#include "compiler/index_bound.h"
#include "compiler/lower.h"
#include "kernels/isa.h"
#include "ops/op.h"
#include "plan/file.h"

namespace planish::compiler {
namespace {

void count(const ir::Graph& graph, uint64_t& nodes, uint64_t& bytes) {
  nodes += graph.order().size();
  for (ir::ValueId v = 0; v < graph.value_count(); ++v) {
    const ir::ValueDef& def = graph.value(v);
    const bool used = graph.is_output(v) || std::ranges::any_of(def.uses, [&](const ir::Use& u) {
                        return !graph.node(u.node).folded;
                      });
    if (def.is_constant() && used) bytes += static_cast<uint64_t>(def.constant->bytes());
  }
  for (const ir::NodeId id : graph.order()) {
    for (const auto& block : graph.node(id).blocks) count(*block, nodes, bytes);
  }
}

plan::Binding binding(const ir::ValueDef& def) {
  return {def.onnx_name.empty() ? def.name : def.onnx_name, to_string(def.type), 0};
}

// The declared type where only a run can disprove it; import has told of what inference disproves.
std::string open_claim(const ir::ValueDef& def) {
  if (!def.declared.has_shape() || contradicts(def.declared, def.type)) return "";
  const Shape& declared = *def.declared.shape;
  for (size_t i = 0; i < declared.size(); ++i) {
    if (declared[i].is_constant() && !(def.type.shape && (*def.type.shape)[i].is_constant()))
      return to_string(def.declared);
  }
  return def.type.has_shape() ? "" : to_string(def.declared);
}

}  // namespace

Compiled compile(const ir::Graph& model, const CompileOptions& options) {
  const auto stage = [&](std::string_view name) {
    if (options.on_stage) options.on_stage(name);
  };
  Compiled out;
  out.graph = model.clone();
  ir::Graph& graph = *out.graph;
  plan::Plan& plan = out.plan;
  count(model, plan.facts.nodes_before, plan.facts.weight_bytes_before);

  stage("optimise");
  passes::Context context;
  context.bisect_limit = options.bisect_limit;
  context.evaluate = [](const ir::Node& node, std::span<const Value* const> inputs) {
    return ops::evaluate_node(node, inputs);
  };
  out.passes = passes::run(graph, context, options.passes);
  count(graph, plan.facts.nodes_after, plan.facts.weight_bytes_after);
  plan.facts.rewrites = out.passes.rewrites;
  for (const passes::Decision& d : out.passes.decisions) {
    plan.decisions.push_back({d.sequence, d.pass, d.fired, d.node, d.what, d.provenance});
  }

  stage("lower");
  plan.planish_version = PLANISH_VERSION;
  const CpuInfo cpu = read_cpu_info();
  // The kernel table that was compiled for; a machine of a lesser one refuses the plan.
  plan.machine = {std::string(kernels::to_string(kernels::machine_isa())), cpu.model,
                  static_cast<uint64_t>(cpu.l1d_bytes), static_cast<uint64_t>(cpu.l2_bytes),
                  static_cast<uint64_t>(cpu.l3_bytes)};
  plan.source_hash = options.source_hash;
  plan.source_name = options.source_name;
  plan.threads = static_cast<uint32_t>(options.threads);
  plan.metadata = model.metadata;
  plan.options.emplace_back("passes", options.passes.enabled ? "all" : "none");
  for (const auto& name : options.passes.disabled) plan.options.emplace_back("disabled-pass", name);
  for (const ir::ValueId v : model.inputs()) {
    plan.inputs.push_back(binding(model.value(v)));
    plan.inputs.back().bound = index_bound(model, v);
  }
  // Outputs keep the names of the model, whatever fusion made of the values behind them.
  for (size_t i = 0; i < model.outputs().size(); ++i) {
    plan.outputs.push_back(binding(model.value(model.outputs()[i])));
    plan.outputs.back().declared = open_claim(model.value(model.outputs()[i]));
  }
  lower(graph, options, plan);
  plan.recipes = ir::print(graph, {.max_constant_elements = 4});
  plan::verify(plan);

  if (options.verify) {
    stage("check");
    gather_evidence(model, options, plan, out.notes);
  }
  return out;
}

}  // namespace planish::compiler
