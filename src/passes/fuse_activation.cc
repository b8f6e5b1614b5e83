// A pointwise operator of one tensor goes into the epilogue of the node that makes that tensor,
// when nobody else reads it. Clip's bounds come along as operands of the epilogue, when they are
// constant scalars. Only activations that the kernels know; the list below is theirs.
#include <algorithm>
#include <array>

#include "ops/op.h"
#include "passes/match.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace planish::passes {
namespace {

constexpr std::array<std::string_view, 16> kActivations = {
    "Celu",  "Clip", "Elu",  "Gelu",    "HardSigmoid", "HardSwish", "LeakyRelu",       "Mish",
    "PRelu", "Relu", "Selu", "Sigmoid", "Softplus",    "Softsign",  "ThresholdedRelu", "Tanh"};
constexpr std::array<std::string_view, 8> kProducers = {"Add",  "Conv",   "ConvTranspose", "Div",
                                                        "Gemm", "MatMul", "Mul",           "Sub"};

bool is_one_of(const ir::Node& node, std::span<const std::string_view> names) {
  return (node.domain.empty() || node.domain == "ai.onnx") &&
         std::ranges::find(names, node.op) != names.end();
}

std::string why_not(const ir::Graph& graph, const ir::Node& node, const ir::Node& into) {
  if (const std::string kept = why_kept(graph, into.outputs[0]); !kept.empty()) {
    return fmt::format("the output of {} {}", into.name, kept);
  }
  if (into.epilogue.size() + 1 + node.epilogue.size() > kMaxEpilogue) {
    return fmt::format("{} has a full epilogue", into.name);
  }
  for (size_t i = 1; i < node.operator_inputs(); ++i) {
    if (node.inputs[i] == ir::kNoValue) continue;
    const Tensor* parameter = constant(graph, node.inputs[i]);
    if (parameter == nullptr) {
      return fmt::format("its operand '{}' is not constant", graph.value(node.inputs[i]).name);
    }
    // One number, and no dims that the flowing tensor may lack.
    if (parameter->rank() == 0) continue;
    const Shape* flow = shape_of(graph, into.outputs[0]);
    if (parameter->size() != 1 || flow == nullptr ||
        static_cast<size_t>(parameter->rank()) > flow->size()) {
      return fmt::format("its operand '{}' is not a single number",
                         graph.value(node.inputs[i]).name);
    }
  }
  return {};
}

bool run(ir::Graph& graph, Context& context) {
  bool changed = false;
  for (const ir::NodeId id : std::vector(graph.order())) {
    const ir::Node& node = graph.node(id);
    if (!is_one_of(node, kActivations) || node.outputs.size() != 1) continue;
    const ops::OpDef* def = ops::find(node.domain, node.op);
    if (def == nullptr || !def->epilogue) continue;
    const ir::Node* into = producer(graph, node.inputs[0]);
    if (into == nullptr || !is_one_of(*into, kProducers) || into->outputs.size() != 1 ||
        !takes_epilogue(graph, into->outputs[0])) {
      continue;
    }
    if (const std::string why = why_not(graph, node, *into); !why.empty()) {
      context.near_miss(node, why);
      continue;
    }
    if (!context.fire(node, fmt::format("went into the epilogue of {}", into->name))) continue;
    absorb(graph, into->id, id, 0);
    changed = true;
  }
  return changed;
}

}  // namespace

PLANISH_PASS(fuse_activation) {
  return {"fuse_activation", Phase::kFuse, "takes activations into the epilogue of their producer",
          &run};
}

}  // namespace planish::passes
