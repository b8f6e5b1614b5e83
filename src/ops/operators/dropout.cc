// Ratio and training mode were attributes up to opset 11. Opsets 1 to 6 trained unless is_test was
// set; the runs that Planish makes are inference, so those nodes drop nothing either way. The mask
// of opsets below 10 had the type of the data and is cast back to it.
#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_dropout(InferContext& context) {
  same_as_input(context);
  if (context.output_count() < 2) return;
  std::optional<Shape> shape;
  if (const Shape* x = context.input_shape(0)) shape = *x;
  context.set_output(1, tensor_type(DType::kBool, std::move(shape)));
}

void upgrade_dropout(UpgradeContext& context) {
  if (context.from() >= 12) return;
  ir::Node& node = context.node();
  for (const char* name : {"consumed_inputs", "is_test", "ratio"}) node.attributes.erase(name);
  if (context.from() < 10 && node.outputs.size() > 1 && node.outputs[1] != ir::kNoValue)
    context.wrap_output(1, "CastLike", {context.input(0)});
}

}  // namespace

PLANISH_OPERATOR(dropout) {
  const TypeSet floats = kAnyFloat | kFloat8;
  OpDef d = mover("Dropout");
  d.inputs = {{"data", Arity::kRequired, floats, "T"},
              {"ratio", Arity::kOptional, floats},
              {"training_mode", Arity::kOptional, type_bit(DType::kBool)}};
  d.outputs = {{"output", Arity::kRequired, floats, "T"},
               {"mask", Arity::kOptional, type_bit(DType::kBool)}};
  d.attributes = {{"seed", AttrKind::kInt}};
  d.legacy_attributes = {"consumed_inputs", "is_test", "ratio"};
  d.deterministic = false;  // in training mode
  d.infer = &infer_dropout;
  d.upgrade = &upgrade_dropout;
  return d;
}

}  // namespace planish::ops
