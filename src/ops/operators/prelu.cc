// Before opset 7 a slope of one axis lay along the channels, axis 1.
#include "ops/elementwise.h"

namespace planish::ops {

namespace {

void infer_prelu(InferContext& context) {
  infer_same(context);
  const Shape* x = context.input_shape(0);
  const Shape* slope = context.input_shape(1);
  if (x == nullptr || slope == nullptr) return;
  if (slope->size() > x->size()) context.fail("the slope has more axes than X");
  (void)broadcast(context, *x, *slope);
}

void upgrade_prelu(UpgradeContext& context) {
  drop_consumed(context);
  if (context.from() >= 7) return;
  const Type x = context.input_type(0), slope = context.input_type(1);
  if (!x.has_shape() || !slope.has_shape())
    fail(ErrorCode::kUnsupported, "PRelu of opset {} needs inputs of known rank", context.from());
  const auto trailing = static_cast<int64_t>(x.shape->size()) - 2;
  if (slope.shape->size() != 1 || (*slope.shape)[0] == SizeExpr(1) || trailing <= 0) return;
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < trailing; ++i) axes.push_back(1 + i);
  const ir::ValueId where = context.constant("axes", Tensor::of<int64_t>({trailing}, axes));
  const ir::ValueId wide = context.emit("Unsqueeze", {context.input(1), where});
  context.node().inputs[1] = wide;
}

}  // namespace

PLANISH_OPERATOR(prelu) {
  OpDef d = binary("PRelu", 1, kAnyNumeric);
  d.inputs = {{"X", Arity::kRequired, kAnyNumeric, "T"},
              {"slope", Arity::kRequired, kAnyNumeric, "T"}};
  d.legacy_attributes = {"consumed_inputs"};
  d.infer = &infer_prelu;
  d.upgrade = &upgrade_prelu;
  d.epilogue = true;
  return d;
}

}  // namespace planish::ops
