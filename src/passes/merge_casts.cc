// Cast(Cast(x, middle), last) becomes Cast(x, last), or x itself, when the middle type holds every
// value of the first one exactly, so that the detour loses nothing:
//   float16 -> float32 -> float16          goes
//   double -> float -> double              stays (24 bits are left)
//   int32 -> uint8 -> int32                stays (8 bits are left)
// Where the last type differs from the first, both steps must round or wrap by the same rule as the
// direct cast: integers through a wider integer, floats through a wider float. A float that becomes
// an integer on the way out is left alone: out of range, ONNX leaves the result to the machine.
#include "passes/match.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace planish::passes {
namespace {

struct Format {
  int mantissa = 0;  // bits of precision, the hidden one included
  int exponent = 0;  // bits of the exponent
};

// Of the floats whose casts are plain rounding: no saturation, infinities and NaN alike.
Format format_of(DType type) {
  switch (type) {
    case DType::kFloat16:
      return {11, 5};
    case DType::kBfloat16:
      return {8, 8};
    case DType::kFloat32:
      return {24, 8};
    case DType::kFloat64:
      return {53, 11};
    default:
      return {};
  }
}
bool is_plain_float(DType type) { return format_of(type).mantissa > 0; }
bool is_plain_integer(DType type) { return is_integer(type) && !is_sub_byte(type); }

// Whether `wide` holds every value of `narrow`.
bool holds(DType wide, DType narrow) {
  if (wide == narrow) return true;
  if (is_plain_float(narrow)) {
    const Format w = format_of(wide);
    const Format n = format_of(narrow);
    return w.mantissa >= n.mantissa && w.exponent >= n.exponent;
  }
  if (narrow == DType::kBool) return is_plain_integer(wide) || is_plain_float(wide);
  if (!is_plain_integer(narrow)) return false;
  const int magnitude = bit_width(narrow) - (is_signed_integer(narrow) ? 1 : 0);
  if (is_plain_integer(wide)) {
    const int room = bit_width(wide) - (is_signed_integer(wide) ? 1 : 0);
    return room >= magnitude && (is_signed_integer(wide) || !is_signed_integer(narrow));
  }
  // float16 reaches 65504 only, so uint16 does not fit its range either; its precision says so.
  return is_plain_float(wide) && format_of(wide).mantissa >= magnitude;
}

bool exact_detour(DType first, DType middle, DType last) {
  if (!holds(middle, first)) return false;
  if (first == last || first == DType::kBool) return true;
  if (is_plain_integer(first) && is_plain_integer(middle)) {
    return is_plain_integer(last) || is_plain_float(last) || last == DType::kBool;
  }
  return is_plain_float(first) && is_plain_float(middle) &&
         (is_plain_float(last) || last == DType::kBool);
}

DType dtype_of(const ir::Graph& graph, ir::ValueId value) {
  const Type& type = graph.value(value).type;
  return type.is_tensor() ? type.dtype : DType::kUndefined;
}

bool run(ir::Graph& graph, Context& context) {
  bool changed = false;
  for (const ir::NodeId id : std::vector(graph.order())) {
    const ir::Node& node = graph.node(id);
    if (!is_plain(node, "Cast") || unused(graph, node.outputs[0])) continue;
    const ir::Node* before = producer(graph, node.inputs[0]);
    if (before == nullptr || !is_plain(*before, "Cast")) continue;
    const ir::ValueId source = before->inputs[0];
    const DType first = dtype_of(graph, source);
    const DType middle = dtype_of(graph, node.inputs[0]);
    const DType last = dtype_of(graph, node.outputs[0]);
    if (first == DType::kUndefined || last == DType::kUndefined) continue;
    if (!exact_detour(first, middle, last)) {
      context.near_miss(
          node, fmt::format("{} to {} to {} is not the same as {} to {}", to_string(first),
                            to_string(middle), to_string(last), to_string(first), to_string(last)));
      continue;
    }
    if (!context.fire(node, fmt::format("took the cast {} of {} out of the way", to_string(middle),
                                        before->name))) {
      continue;
    }
    changed = true;
    if (first == last) {
      replace_value(graph, node.outputs[0], source);
      graph.erase_node(id);
    } else {
      merge_provenance(graph.node(id), *before);
      graph.set_input(id, 0, source);
    }
  }
  return changed;
}

}  // namespace

PLANISH_PASS(merge_casts) {
  return {"merge_casts", Phase::kCanonicalise,
          "drops the middle type of two casts when it is exact", &run};
}

}  // namespace planish::passes
