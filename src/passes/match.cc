#include "passes/match.h"

#include <algorithm>

#include "base/elements.h"

namespace planish::passes {

bool is_op(const ir::Node& node, std::string_view op) {
  return node.op == op && (node.domain.empty() || node.domain == "ai.onnx");
}

bool is_plain(const ir::Node& node, std::string_view op) {
  return is_op(node, op) && node.epilogue.empty();
}

const ir::Node* producer(const ir::Graph& graph, ir::ValueId value) {
  if (value == ir::kNoValue) return nullptr;
  const ir::NodeId id = graph.value(value).producer;
  return id != ir::kNoNode && graph.alive(id) ? &graph.node(id) : nullptr;
}

const Tensor* constant(const ir::Graph& graph, ir::ValueId value) {
  if (value == ir::kNoValue) return nullptr;
  const std::optional<Tensor>& tensor = graph.value(value).constant;
  return tensor ? &*tensor : nullptr;
}

ir::ValueId input(const ir::Node& node, size_t index) {
  return index < node.operator_inputs() ? node.inputs[index] : ir::kNoValue;
}

std::optional<std::vector<int64_t>> known_ints(const ir::Graph& graph, ir::ValueId value) {
  if (value == ir::kNoValue) return std::nullopt;
  if (const Tensor* tensor = constant(graph, value)) {
    if (!is_integer(tensor->dtype())) return std::nullopt;
    return to_ints(*tensor);
  }
  const std::optional<ir::SymbolicTensor>& symbolic = graph.value(value).symbolic;
  if (!symbolic) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const SizeExpr& element : symbolic->elements) {
    const std::optional<int64_t> number = element.constant();
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

bool unused(const ir::Graph& graph, ir::ValueId value) {
  return value == ir::kNoValue || (graph.value(value).uses.empty() && !graph.is_output(value));
}

std::string why_kept(const ir::Graph& graph, ir::ValueId value) {
  if (graph.is_output(value)) return "is a graph output";
  const size_t uses = graph.value(value).uses.size();
  return uses == 1 ? std::string() : fmt::format("has {} users", uses);
}

const Shape* shape_of(const ir::Graph& graph, ir::ValueId value) {
  if (value == ir::kNoValue) return nullptr;
  const Type& type = graph.value(value).type;
  return type.has_shape() ? &*type.shape : nullptr;
}

bool same_shape(const ir::Graph& graph, ir::ValueId a, ir::ValueId b) {
  const Shape* first = shape_of(graph, a);
  const Shape* second = shape_of(graph, b);
  return first != nullptr && second != nullptr && *first == *second;
}

bool keeps_shape(const Shape& flow, const Shape& operand) {
  if (operand.size() > flow.size()) return false;
  for (size_t i = 0; i < operand.size(); ++i) {
    const SizeExpr& given = operand[operand.size() - 1 - i];
    if (given != SizeExpr(1) && given != flow[flow.size() - 1 - i]) return false;
  }
  return true;
}

bool takes_epilogue(const ir::Graph& graph, ir::ValueId value) {
  const Type& type = graph.value(value).type;
  return type.has_shape() && (type.dtype == DType::kFloat32 || type.dtype == DType::kFloat16 ||
                              type.dtype == DType::kBfloat16 || type.dtype == DType::kFloat64);
}

}  // namespace planish::passes
