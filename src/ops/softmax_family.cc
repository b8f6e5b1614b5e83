#include "ops/softmax_family.h"

#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_softmax_family(InferContext& context) {
  const int64_t axis = context.attributes().get_int("axis", -1);
  if (const Shape* x = context.input_shape(0)) {
    normalize_axis(context, axis, std::max<int64_t>(1, static_cast<int64_t>(x->size())));
  }
  same_as_input(context);
}

// Before opset 13 the input was seen as a matrix, cut before `axis` (1 by default), and whole rows
// were normalised. Where the cut lies before the last axis that is today's operator.
void upgrade_softmax_family(UpgradeContext& context) {
  if (context.from() >= 13) return;
  ir::Node& node = context.node();
  const int64_t axis = node.attributes.get_int("axis", 1);
  node.attributes.set("axis", int64_t{-1});
  const Type x = context.input_type(0);
  if (axis == -1 || (x.has_shape() && static_cast<int64_t>(x.shape->size()) == axis + 1)) return;
  const ir::ValueId original = context.input(0);
  const ir::ValueId shape = context.emit("Shape", {original});
  Attributes cut;
  cut.set("axis", axis);
  const ir::ValueId matrix = context.emit("Flatten", {original}, cut);
  context.node().inputs[0] = matrix;
  context.wrap_output(0, "Reshape", {shape});
}

// An exponential, a subtraction, a sum and a division per element.
Cost cost_softmax_family(const ir::Node&, std::span<const Dims> inputs, std::span<const Dims>) {
  double flops = 4;
  for (const int64_t d : inputs[0]) flops *= static_cast<double>(d);
  return {flops};
}

}  // namespace

OpDef softmax_operator(std::string_view name) {
  OpDef d;
  d.name = name;
  d.inputs = {{"input", Arity::kRequired, kAnyFloat, "T"}};
  d.outputs = {{"output", Arity::kRequired, kAnyFloat, "T"}};
  d.attributes = {{"axis", AttrKind::kInt}};
  d.infer = &infer_softmax_family;
  d.upgrade = &upgrade_softmax_family;
  d.cost = &cost_softmax_family;
  return d;
}

}  // namespace planish::ops
