#include "compiler/lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "compiler/program_builder.h"
#include "ops/op.h"

namespace planish::compiler {
namespace {

class Lowering {
 public:
  Lowering(const CompileOptions& options, plan::Plan& plan)
      : options_(options), plan_(plan), weights_(plan) {}

  // Returns the program's index.
  uint32_t program(const ir::Graph& graph, const std::string& name) {
    const auto index = static_cast<uint32_t>(plan_.programs.size());
    plan_.programs.emplace_back();  // its callees get higher numbers
    ProgramBuilder builder(graph, options_.providers, weights_, options_.threads);
    for (const ir::NodeId id : graph.order()) {
      const ir::Node& node = graph.node(id);
      try {
        if (node.blocks.empty()) {
          place(graph, node, builder);
        } else {
          control(node, builder);
        }
      } catch (Error& e) {
        e.at_node(node.name);
        throw;
      }
    }
    plan_.programs[index] = builder.finish(name);
    return index;
  }

 private:
  void place(const ir::Graph& graph, const ir::Node& node, ProgramBuilder& builder) {
    std::vector<std::string> reasons;
    for (uint32_t p = 0; p < options_.providers.size(); ++p) {
      const backends::Backend& backend = *options_.providers[p];
      const size_t weights = plan_.weights.size();
      const uint64_t weight_bytes = plan_.weights_bytes;
      std::string why = refusal(graph, node, backend, builder);
      if (why.empty()) {
        builder.begin_node(node, p);
        try {
          const std::string kernel = backend.lower(node, builder);
          builder.end_node(flops(graph, node));
          record(node, backend, kernel, reasons, p > 0);
          return;
        } catch (const Error& e) {
          if (e.code() != ErrorCode::kUnsupported) throw;
          why = e.message();
          builder.abandon_node();
          plan_.weights.resize(weights);
          plan_.weights_bytes = weight_bytes;
        }
      }
      reasons.push_back(std::string(backend.name()) + ": " + why);
      if (options_.require == backend.name()) {
        // The caller's check on the placement did not hold.
        fail(ErrorCode::kMismatch, "{} cannot run on '{}' as required: {}", node.op, backend.name(),
             why);
      }
    }
    fail(ErrorCode::kUnsupported, "no provider takes operator {} ({})", node.op,
         fmt::format("{}", fmt::join(reasons, "; ")));
  }

  // Empty when the provider may lower the node.
  std::string refusal(const ir::Graph& graph,
                      const ir::Node& node,
                      const backends::Backend& backend,
                      const ProgramBuilder& builder) const {
    const backends::Support support = backend.supports(graph, node);
    if (!support.supported) return support.reason;
    for (const ir::EpilogueOp& e : node.epilogue) {
      if (!backend.supports_epilogue(graph, node, e))
        return "the epilogue " + e.op + " is not supported here";
    }
    if (&backend == options_.providers.back()) return {};
    // Only the last resort can size outputs while it runs.
    bool late_input = false;
    for (const ir::ValueId v : node.inputs) {
      if (v != ir::kNoValue && !graph.value(v).is_constant())
        late_input = late_input || builder.dynamic(v);
    }
    for (const ir::ValueId v : node.outputs) {
      if (v == ir::kNoValue) continue;
      if (!builder.sized(v))
        return "the size of output '" + graph.value(v).name +
               "' is known only when the node has run";
      if (!late_input && !builder.known_at_bind(v))
        return "the size of output '" + graph.value(v).name + "' depends on data";
    }
    return {};
  }

  static double flops(const ir::Graph& graph, const ir::Node& node) {
    const ops::OpDef* def = ops::find(node.domain, node.op);
    if (def == nullptr) return 0;
    // Costs are figures over shapes: without one there is no figure.
    for (const auto* list : {&node.inputs, &node.outputs}) {
      for (const ir::ValueId v : *list) {
        if (v != ir::kNoValue && !graph.value(v).type.has_shape()) return 0;
      }
    }
    const auto dims = [&](ir::ValueId v) {
      Dims d;
      if (v == ir::kNoValue || !graph.value(v).type.has_shape()) return d;
      for (const SizeExpr& e : *graph.value(v).type.shape) {
        SizeExpr::Bindings ones;
        for (const auto& s : e.symbols()) ones[s] = 1;
        int64_t size = 1;
        try {
          size = std::max<int64_t>(e.evaluate(ones), 0);
        } catch (const Error&) {
          size = 1;  // such as ceildiv by (N - 1): no figure at ones
        }
        d.push_back(size);
      }
      return d;
    };
    std::vector<Dims> inputs, outputs;
    for (size_t i = 0; i < node.operator_inputs(); ++i) inputs.push_back(dims(node.inputs[i]));
    for (const ir::ValueId v : node.outputs) outputs.push_back(dims(v));
    if (def->cost != nullptr) return def->cost(node, inputs, outputs).flops;
    return outputs.empty() ? 0 : static_cast<double>(element_count(outputs[0]));
  }

  void record(const ir::Node& node,
              const backends::Backend& backend,
              const std::string& kernel,
              const std::vector<std::string>& reasons,
              bool fallback) {
    plan_.placements.push_back({node.name, node.op, std::string(backend.name()), kernel,
                                fmt::format("{}", fmt::join(reasons, "; ")), fallback,
                                node.provenance});
  }

  void control(const ir::Node& node, ProgramBuilder& builder) {
    builder.begin_node(node, builder.first_host());
    plan::Step step;
    const auto slot_of = [&](ir::ValueId v) {
      return v == ir::kNoValue ? plan::kNone : builder.slot(v);
    };
    for (const ir::ValueId v : node.inputs) step.inputs.push_back(slot_of(v));
    if (node.op == "If") {
      step.kernel = "control.if";
    } else if (node.op == "Loop") {
      step.kernel = "control.loop";
      // Trip count and condition may be left out, at the end too when nothing is carried.
      if (step.inputs.size() < 2 + size_t{node.captures})
        step.inputs.insert(step.inputs.end() - node.captures,
                           2 + size_t{node.captures} - step.inputs.size(), plan::kNone);
      step.args.set("captures", int64_t{node.captures});
      step.args.set("carried", static_cast<int64_t>(step.inputs.size() - 2 - node.captures));
    } else if (node.op == "Scan") {
      step.kernel = "control.scan";
      const int64_t scans = node.attributes.get_int("num_scan_inputs");
      step.args.set("captures", int64_t{node.captures});
      step.args.set("states", static_cast<int64_t>(node.operator_inputs()) - scans);
      for (const char* name : {"scan_input_axes", "scan_output_axes", "scan_input_directions",
                               "scan_output_directions"}) {
        if (node.attributes.has(name)) step.args.set(name, node.attributes.get_ints(name));
      }
    } else {
      fail(ErrorCode::kUnsupported,
           "operator {} has blocks but is no control flow that Planish knows", node.op);
    }
    for (const ir::ValueId v : node.outputs)
      step.outputs.push_back(v == ir::kNoValue ? plan::kNone : builder.late_output(v));
    const std::string kernel = step.kernel;
    for (const auto& block : node.blocks)
      step.programs.push_back(program(*block, node.name + "/" + block->name()));
    builder.add_step(std::move(step));
    builder.end_node(0);
    plan_.placements.push_back({node.name, node.op, "runtime", kernel, "", false, node.provenance});
  }

  const CompileOptions& options_;
  plan::Plan& plan_;
  Weights weights_;
};

}  // namespace

void lower(const ir::Graph& graph, const CompileOptions& options, plan::Plan& plan) {
  if (options.providers.empty()) fail(ErrorCode::kUsage, "no execution provider is given");
  for (const backends::Backend* b : options.providers) plan.providers.emplace_back(b->name());
  const auto known = std::ranges::any_of(
      options.providers, [&](const auto* b) { return b->name() == options.require; });
  if (!options.require.empty() && !known) {
    fail(ErrorCode::kUsage, "--require names the provider '{}'; there are: {}", options.require,
         fmt::format("{}", fmt::join(plan.providers, ", ")));
  }
  Lowering(options, plan).program(graph, "main");
}

}  // namespace planish::compiler
