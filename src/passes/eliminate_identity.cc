// Takes out nodes that hand their input through bit by bit: Identity, Dropout at inference, casts
// to the type that is there, reshapes to the shape that is there, transpositions that move nothing,
// padding by nothing, x * 1, one-input Concat.
//
// "Same shape" alone proves little: a Slice with step -1 and a Pad that cuts here and adds there
// keep the shape too, so those look at their parameters. x + 0 is left alone for floats, because
// -0 + 0 is +0; x + (-0) and x - 0 are exact.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "base/elements.h"
#include "passes/match.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace planish::passes {
namespace {

struct Found {
  size_t input;
  const char* why;
};

DType dtype_of(const ir::Graph& graph, ir::ValueId value) {
  if (value == ir::kNoValue || !graph.value(value).type.is_tensor()) return DType::kUndefined;
  return graph.value(value).type.dtype;
}

bool all_are(const std::vector<int64_t>& numbers, int64_t wanted) {
  return std::ranges::all_of(numbers, [=](int64_t n) { return n == wanted; });
}

// Whether every element is `wanted`, the sign of a zero included.
bool uniform(const Tensor& tensor, double wanted) {
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double element = load_double(tensor, i);
    if (element != wanted || std::signbit(element) != std::signbit(wanted)) return false;
  }
  return true;
}

// The constant that leaves the other operand as it is, when there is one on this side.
std::optional<double> neutral(std::string_view op, DType dtype, size_t side) {
  const bool integer = is_integer(dtype);
  if (op == "Mul") return 1.0;
  if (op == "Div" && side == 1) return 1.0;
  if (op == "Add") return integer ? 0.0 : -0.0;
  if (op == "Sub" && side == 1) return 0.0;
  return std::nullopt;
}

std::optional<Found> neutral_operand(const ir::Graph& graph, const ir::Node& node) {
  if (node.operator_inputs() != 2) return std::nullopt;
  for (const size_t side : {size_t{1}, size_t{0}}) {
    const Tensor* tensor = constant(graph, node.inputs[side]);
    const ir::ValueId other = node.inputs[1 - side];
    const DType dtype = dtype_of(graph, other);
    if (tensor == nullptr || tensor->dtype() != dtype || tensor->size() == 0) continue;
    if (!is_integer(dtype) && dtype != DType::kFloat16 && dtype != DType::kBfloat16 &&
        dtype != DType::kFloat32 && dtype != DType::kFloat64) {
      continue;
    }
    const std::optional<double> wanted = neutral(node.op, dtype, side);
    const Shape* shape = shape_of(graph, other);
    if (!wanted || !uniform(*tensor, *wanted)) continue;
    const Shape operand(tensor->dims().begin(), tensor->dims().end());
    const bool never_larger = tensor->rank() == 0 && graph.value(other).type.is_tensor();
    if (never_larger || (shape != nullptr && keeps_shape(*shape, operand))) {
      return Found{1 - side, "its constant changes nothing"};
    }
  }
  return std::nullopt;
}

std::optional<Found> moves_nothing(const ir::Graph& graph, const ir::Node& node) {
  const ir::ValueId in = node.inputs[0];
  const ir::ValueId out = node.outputs[0];
  if (is_op(node, "Transpose")) {
    const Ints& perm = node.attributes.get_ints("perm");
    const Shape* shape = shape_of(graph, in);
    const bool reversed = !node.attributes.has("perm");
    if (reversed) {
      if (shape == nullptr || shape->size() > 1) return std::nullopt;
    } else {
      for (size_t i = 0; i < perm.size(); ++i) {
        if (perm[i] != static_cast<int64_t>(i)) return std::nullopt;
      }
    }
    return Found{0, "it moves no axis"};
  }
  if (!same_shape(graph, in, out)) return std::nullopt;
  for (const char* op : {"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Expand", "Tile"}) {
    if (is_op(node, op)) return Found{0, "the shape stays"};
  }
  if (is_op(node, "Slice")) {
    // Step 1 and the full length: it starts at 0.
    const ir::ValueId steps = input(node, 4);
    if (steps != ir::kNoValue) {
      const auto known = known_ints(graph, steps);
      if (!known || !all_are(*known, 1)) return std::nullopt;
    }
    return Found{0, "it takes everything"};
  }
  if (is_op(node, "Pad")) {
    const auto pads = known_ints(graph, input(node, 1));
    if (pads && all_are(*pads, 0)) return Found{0, "it adds nothing"};
  }
  return std::nullopt;
}

std::optional<Found> match(const ir::Graph& graph, const ir::Node& node, Context& context) {
  if (!node.epilogue.empty() || !node.blocks.empty() || node.operator_inputs() == 0) {
    return std::nullopt;
  }
  if (node.inputs[0] == ir::kNoValue || node.outputs.empty() || node.outputs[0] == ir::kNoValue) {
    return std::nullopt;
  }
  if (is_op(node, "Identity")) return Found{0, "it copies"};
  if (is_op(node, "Dropout")) {
    if (node.outputs.size() > 1 && !unused(graph, node.outputs[1])) {
      context.near_miss(node, "its mask is used");
      return std::nullopt;
    }
    const ir::ValueId training = input(node, 2);
    if (training != ir::kNoValue) {
      const Tensor* flag = constant(graph, training);
      if (flag == nullptr || flag->dtype() != DType::kBool || flag->size() != 1) {
        context.near_miss(node, "training_mode is not a constant");
        return std::nullopt;
      }
      if (load_int(*flag, 0) != 0) {
        context.near_miss(node, "it is in training mode");
        return std::nullopt;
      }
    }
    return Found{0, "at inference it copies"};
  }
  if (is_op(node, "Cast") || is_op(node, "CastLike")) {
    const DType from = dtype_of(graph, node.inputs[0]);
    const DType to = dtype_of(graph, node.outputs[0]);
    if (from != DType::kUndefined && from == to) return Found{0, "the type stays"};
    return std::nullopt;
  }
  if (node.operator_inputs() == 1) {
    for (const char* op : {"Concat", "Sum", "Max", "Min", "Mean"}) {
      if (is_op(node, op)) return Found{0, "it has one input"};
    }
  }
  if (is_op(node, "Split") && node.outputs.size() == 1) return Found{0, "it has one output"};
  if (is_op(node, "Mul") || is_op(node, "Div") || is_op(node, "Add") || is_op(node, "Sub")) {
    return neutral_operand(graph, node);
  }
  return moves_nothing(graph, node);
}

bool run(ir::Graph& graph, Context& context) {
  bool changed = false;
  for (const ir::NodeId id : std::vector(graph.order())) {
    const ir::Node& node = graph.node(id);
    const std::optional<Found> found = match(graph, node, context);
    if (!found || unused(graph, node.outputs[0])) continue;
    if (!context.fire(node, fmt::format("removed {}: {}", node.op, found->why))) continue;
    replace_value(graph, node.outputs[0], node.inputs[found->input]);
    graph.erase_node(id);
    changed = true;
  }
  return changed;
}

}  // namespace

PLANISH_PASS(eliminate_identity) {
  return {"eliminate_identity", Phase::kCanonicalise,
          "removes nodes that hand their input through unchanged", &run};
}

}  // namespace planish::passes
