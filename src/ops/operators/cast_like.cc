#include "ops/elementwise.h"

namespace planish::ops {

namespace {

void infer_cast_like(InferContext& context) {
  const DType type = context.input_dtype(1);
  std::optional<Shape> shape;
  if (const Shape* x = context.input_shape(0)) shape = *x;
  context.set_output(0, tensor_type(type, std::move(shape)));
  if (type != DType::kInt64 && type != DType::kInt32) return;
  if (auto content = context.input_symbolic(0)) context.set_symbolic(0, std::move(*content));
}

}  // namespace

PLANISH_OPERATOR(cast_like) {
  OpDef d;
  d.name = "CastLike";
  d.since = 15;
  d.inputs = {{"input", Arity::kRequired, kAnyTensor},
              {"target_type", Arity::kRequired, kAnyTensor, "T2"}};
  d.outputs = {{"output", Arity::kRequired, kAnyTensor, "T2"}};
  d.attributes = {{"round_mode", AttrKind::kString}, {"saturate", AttrKind::kInt}};
  d.infer = &infer_cast_like;
  return d;
}

}  // namespace planish::ops
