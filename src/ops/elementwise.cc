#include "ops/elementwise.h"

#include <algorithm>
#include <string>

#include "base/elements.h"

namespace planish::ops {

OpDef unary(std::string_view name, int since, TypeSet types) {
  OpDef d;
  d.name = name;
  d.since = since;
  d.inputs = {{"X", Arity::kRequired, types, "T"}};
  d.outputs = {{"Y", Arity::kRequired, types, "T"}};
  d.infer = &infer_same;
  if (since < 6) {
    d.legacy_attributes = {"consumed_inputs"};
    d.upgrade = &drop_consumed;
  }
  return d;
}

OpDef activation(std::string_view name, int since, TypeSet types) {
  OpDef d = unary(name, since, types);
  d.epilogue = true;
  return d;
}

OpDef binary(std::string_view name, int since, TypeSet types) {
  OpDef d;
  d.name = name;
  d.since = since;
  d.inputs = {{"A", Arity::kRequired, types, "T"}, {"B", Arity::kRequired, types, "T"}};
  d.outputs = {{"C", Arity::kRequired, types, "T"}};
  d.infer = &infer_broadcast;
  if (since < 7) {
    d.legacy_attributes = {"axis", "broadcast", "consumed_inputs"};
    d.upgrade = &upgrade_broadcast;
  }
  return d;
}

OpDef comparison(std::string_view name, int since, TypeSet types) {
  OpDef d = binary(name, since, types);
  d.outputs = {{"C", Arity::kRequired, type_bit(DType::kBool)}};
  d.infer = &infer_compare;
  return d;
}

OpDef variadic(std::string_view name, int since, TypeSet types) {
  OpDef d;
  d.name = name;
  d.since = since;
  d.inputs = {{"data_0", Arity::kVariadic, types, "T"}};
  d.outputs = {{"result", Arity::kRequired, types, "T"}};
  d.infer = &infer_broadcast;
  d.legacy_attributes = {"consumed_inputs"};
  d.upgrade = &drop_consumed;
  return d;
}

TypeSet signed_numbers() {
  return kAnyFloat | type_bit(DType::kInt8) | type_bit(DType::kInt16) | type_bit(DType::kInt32) |
         type_bit(DType::kInt64);
}

void drop_consumed(UpgradeContext& context) {
  if (context.from() < 6) context.node().attributes.erase("consumed_inputs");
}

void upgrade_broadcast(UpgradeContext& context) {
  if (context.from() >= 7) return;
  ir::Node& node = context.node();
  Attributes& attributes = node.attributes;
  const bool broadcast = attributes.get_int("broadcast", 0) != 0;
  const bool has_axis = attributes.has("axis");
  const int64_t given = attributes.get_int("axis", 0);
  attributes.erase("broadcast");
  attributes.erase("axis");
  attributes.erase("consumed_inputs");
  if (!broadcast || !has_axis || node.inputs.size() != 2) return;
  const Type a = context.input_type(0), b = context.input_type(1);
  if (!a.has_shape() || !b.has_shape())
    fail(ErrorCode::kUnsupported,
         "{} of opset {} with attribute axis needs operands of known rank; run shape inference on "
         "the model or convert it to opset 7",
         node.op, context.from());
  const auto rank = static_cast<int64_t>(a.shape->size());
  const auto rank_b = static_cast<int64_t>(b.shape->size());
  const int64_t axis = given < 0 ? given + rank : given;
  const int64_t trailing = rank - axis - rank_b;
  if (axis < 0 || trailing < 0)
    fail(ErrorCode::kInvalidModel, "{}: axis {} puts B of rank {} beyond A of rank {}", node.op,
         given, rank_b, rank);
  if (trailing == 0) return;
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < trailing; ++i) axes.push_back(rank_b + i);
  const ir::ValueId where = context.constant("axes", Tensor::of<int64_t>({trailing}, axes));
  const ir::ValueId wide = context.emit("Unsqueeze", {context.input(1), where});
  context.node().inputs[1] = wide;
}

bool never_negative(const SizeExpr& e) {
  if (e.constant_term() < 0) return false;
  return std::ranges::all_of(e.terms(), [](const SizeExpr::Term& term) {
    return term.coefficient >= 0 &&
           std::ranges::all_of(term.factors, [](const SizeExpr::Atom& atom) {
             if (atom.fn == SizeExpr::Fn::kSymbol) return true;  // every symbol is a size
             const bool one = std::ranges::any_of(atom.args, never_negative);
             const bool all = std::ranges::all_of(atom.args, never_negative);
             return atom.fn == SizeExpr::Fn::kMax ? one : all;
           });
  });
}

SizeExpr truncating_div(const SizeExpr& a, const SizeExpr& b) {
  const std::optional<int64_t> divisor = b.constant();
  if (divisor == 0) fail(ErrorCode::kData, "division by zero");
  if (never_negative(b)) {
    const SizeExpr down = SizeExpr::floor_div(a, b);
    if (never_negative(a)) return down;
    // Towards zero from either side: floor where a >= 0, ceil where a < 0.
    if (divisor) return SizeExpr::max(down, SizeExpr::min(SizeExpr::ceil_div(a, b), 0));
  }
  if (divisor && *divisor != std::numeric_limits<int64_t>::min()) return -truncating_div(a, -b);
  fail(ErrorCode::kUnsupported, "the sign of the divisor {} is unknown", b.to_string());
}

ir::ValueId constant_like(UpgradeContext& context,
                          std::string_view name,
                          float value,
                          size_t like) {
  const Type type = context.input_type(like);
  if (type.is_tensor() && type.dtype != DType::kUndefined) {
    const double wide[] = {value};
    return context.constant(name, from_doubles(type.dtype, {}, wide));
  }
  const ir::ValueId scalar = context.constant(name, Tensor::scalar<float>(value));
  return context.emit("CastLike", {scalar, context.input(like)});
}

void attribute_to_input(UpgradeContext& context, std::string_view attribute, size_t index) {
  ir::Node& node = context.node();
  if (!node.attributes.has(attribute)) return;
  const Ints values = node.attributes.get_ints(attribute);
  node.attributes.erase(attribute);
  if (node.inputs.size() <= index) node.inputs.resize(index + 1, ir::kNoValue);
  node.inputs[index] = context.constant(
      attribute, Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values));
}

}  // namespace planish::ops
