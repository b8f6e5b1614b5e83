// Opset 1 called the pads `paddings`; pads and value were attributes up to opset 10.
#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_pad(InferContext& context) {
  const Shape* x = context.input_shape(0);
  if (x == nullptr) return set_shape(context, std::nullopt);
  const auto rank = static_cast<int64_t>(x->size());
  std::vector<int64_t> axes;
  if (context.has_input(3)) {
    const auto given = context.input_ints(3);
    if (!given) return set_shape(context, fresh_shape(context, rank));
    axes = normalize_axes(context, *given, rank);
  } else {
    for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  }
  const auto pads = context.input_symbolic(1);
  Shape out = *x;
  if (pads && pads->elements.size() != 2 * axes.size())
    context.fail(fmt::format("{} pads for {} axes, twice as many are needed", pads->elements.size(),
                             axes.size()));
  for (size_t i = 0; i < axes.size(); ++i) {
    SizeExpr& dim = out[static_cast<size_t>(axes[i])];
    if (!pads) {
      dim = context.fresh_dim();
      continue;
    }
    dim = dim + pads->elements[i] + pads->elements[axes.size() + i];
    if (dim.constant().value_or(0) < 0)
      context.fail(fmt::format("pads crop more than axis {} has", axes[i]));
  }
  set_shape(context, std::move(out));
}

void upgrade_pad(UpgradeContext& context) {
  if (context.from() >= 11) return;
  ir::Node& node = context.node();
  attribute_to_input(context, context.from() < 2 ? "paddings" : "pads", 1);
  const float value = node.attributes.get_float("value", 0.0f);
  node.attributes.erase("value");
  if (value == 0) return;
  const ir::ValueId constant = constant_like(context, "value", value, 0);
  context.node().inputs.resize(2, ir::kNoValue);
  context.node().inputs.push_back(constant);
}

}  // namespace

PLANISH_OPERATOR(pad) {
  OpDef d = mover("Pad");
  d.inputs.insert(d.inputs.end(), {int64_input("pads"),
                                   {"constant_value", Arity::kOptional, kAnyTensor, "T"},
                                   index_input("axes", Arity::kOptional)});
  d.attributes = {{"mode", AttrKind::kString}};
  d.legacy_attributes = {"paddings", "pads", "value"};
  d.infer = &infer_pad;
  d.upgrade = &upgrade_pad;
  return d;
}

}  // namespace planish::ops
