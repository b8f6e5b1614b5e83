// Evaluates what is known at build time.
//
// A deterministic node whose inputs are all constants becomes a fold node: its result is a constant
// and the node stays as the recipe. A node whose integer output inference knows completely (Shape
// of a static tensor, the arithmetic behind it) is replaced by that constant.
//
// Bounds: a result larger than Context::max_folded_bytes and than its inputs stays in the graph,
// and so does a computation of many FLOPs, so that a small hostile file cannot make a build that
// never ends. DequantizeLinear stays: Q/DQ pairs are the form in which quantization reaches
// lowering.
#include <algorithm>
#include <optional>

#include "base/elements.h"
#include "ops/op.h"
#include "passes/match.h"
#include "passes/pass.h"

namespace planish::passes {
namespace {

// About a second of the reference's product loops.
constexpr double kMaxFlops = 5e9;
// What a string costs at least.
constexpr int64_t kStringBytes = 32;

int64_t bytes_of(DType type, int64_t count) {
  if (count > INT64_MAX / kStringBytes) return INT64_MAX;
  return type == DType::kString ? count * kStringBytes : byte_count(type, count);
}

struct Facts {
  std::vector<Dims> inputs, outputs;  // empty `outputs` when one is unknown
  int64_t input_bytes = 0, output_bytes = 0;
};

// Nothing when sizes overflow.
std::optional<Facts> facts(const ir::Graph& graph, const ir::Node& node) {
  Facts f;
  try {
    for (const ir::ValueId in : node.inputs) {
      const Tensor* tensor = constant(graph, in);
      f.inputs.push_back(tensor == nullptr ? Dims{} : tensor->dims());
      if (tensor != nullptr) f.input_bytes += bytes_of(tensor->dtype(), tensor->size());
    }
    for (const ir::ValueId out : node.outputs) {
      if (out == ir::kNoValue) continue;
      const Shape* shape = shape_of(graph, out);
      const std::optional<Dims> dims = shape == nullptr ? std::nullopt : constant_dims(*shape);
      if (!dims) {  // as many as the data says: bounded by the inputs
        f.outputs.clear();
        return f;
      }
      const int64_t bytes = bytes_of(graph.value(out).type.dtype, element_count(*dims));
      if (__builtin_add_overflow(f.output_bytes, bytes, &f.output_bytes)) return std::nullopt;
      f.outputs.push_back(*dims);
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  return f;
}

std::string why_too_big(const ir::Graph& graph,
                        const ir::Node& node,
                        const ops::OpDef& def,
                        const Context& context) {
  const std::optional<Facts> f = facts(graph, node);
  if (!f) return "its result is too big";
  if (f->output_bytes > std::max(context.max_folded_bytes, f->input_bytes)) {
    return fmt::format("its result would take {} bytes", f->output_bytes);
  }
  if (def.cost == nullptr || f->outputs.size() != node.outputs.size()) return {};
  const double flops = def.cost(node, f->inputs, f->outputs).flops;
  return flops > kMaxFlops ? fmt::format("it would take {:.0f} GFLOP", flops * 1e-9) : "";
}

bool fold(ir::Graph& graph, ir::NodeId id, const ops::OpDef& def, Context& context) {
  const ir::Node& node = graph.node(id);
  if (is_op(node, "DequantizeLinear")) {
    context.near_miss(node, "left for lowering: quantized weights stay quantized");
    return false;
  }
  if (const std::string why = why_too_big(graph, node, def, context); !why.empty()) {
    context.near_miss(node, why);
    return false;
  }
  std::vector<Tensor> results;
  try {
    std::vector<Value> inputs;
    inputs.reserve(node.inputs.size());
    std::vector<const Value*> pointers;
    for (const ir::ValueId in : node.inputs) {
      const Tensor* tensor = constant(graph, in);
      pointers.push_back(tensor == nullptr ? nullptr
                                           : &inputs.emplace_back(Value(tensor->aligned())));
    }
    std::vector<Value> values = context.evaluate(node, pointers);
    for (size_t i = 0; i < values.size(); ++i) {
      const bool wanted = node.outputs[i] != ir::kNoValue;
      if (wanted && !values[i].is_tensor()) return false;  // constants are tensors
      results.push_back(wanted ? std::move(values[i].tensor()) : Tensor());
    }
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInternal || error.code() == ErrorCode::kCancelled ||
        error.code() == ErrorCode::kDeadline) {
      throw;
    }
    context.near_miss(node, fmt::format("evaluating it failed: {}", error.message()));
    return false;
  }
  if (!context.fire(node, fmt::format("folded {} of constants", node.op))) return false;
  graph.fold_node(id, std::move(results));
  return true;
}

// The constant that inference found for the only output.
std::optional<Tensor> known_result(const ir::Graph& graph, const ir::Node& node) {
  if (node.outputs.size() != 1 || node.outputs[0] == ir::kNoValue) return std::nullopt;
  const ir::ValueDef& value = graph.value(node.outputs[0]);
  if (!value.symbolic) return std::nullopt;
  const std::optional<std::vector<int64_t>> numbers = known_ints(graph, node.outputs[0]);
  if (!numbers) return std::nullopt;
  return from_ints(value.type.dtype, value.symbolic->dims, *numbers);
}

bool run(ir::Graph& graph, Context& context) {
  bool changed = false;
  for (const ir::NodeId id : std::vector(graph.order())) {
    const ir::Node& node = graph.node(id);
    const ops::OpDef* def = ops::find(node.domain, node.op);
    if (def == nullptr || !def->deterministic || !node.blocks.empty()) continue;
    if (std::ranges::all_of(node.outputs, [&](ir::ValueId v) { return unused(graph, v); }))
      continue;
    const bool all_constant = std::ranges::all_of(node.inputs, [&](ir::ValueId v) {
      return v == ir::kNoValue || graph.value(v).is_constant();
    });
    if (all_constant) {
      if (context.evaluate) changed |= fold(graph, id, *def, context);
      continue;
    }
    std::optional<Tensor> result = known_result(graph, node);
    if (!result) continue;
    if (!context.fire(node, fmt::format("replaced {}: its content is known", node.op))) continue;
    const ir::ValueId out = node.outputs[0];
    const ir::ValueId known = graph.add_constant(graph.value(out).name, std::move(*result));
    graph.value(known).onnx_name = graph.value(out).onnx_name;
    graph.replace_uses(out, known);
    graph.erase_node(id);
    changed = true;
  }
  return changed;
}

}  // namespace

PLANISH_PASS(fold_constants) {
  return {"fold_constants", Phase::kFold, "evaluates what depends on constants only", &run};
}

}  // namespace planish::passes
