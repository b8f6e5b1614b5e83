#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_non_zero(InferContext& context) {
  const Shape* x = context.input_shape(0);
  const SizeExpr rows =
      x != nullptr ? SizeExpr(static_cast<int64_t>(x->size())) : context.fresh_dim();
  context.set_output(0, Type::tensor(DType::kInt64, {rows, context.fresh_dim()}));
}

}  // namespace

PLANISH_OPERATOR(non_zero) {
  OpDef d = mover("NonZero", 9);
  d.outputs = {{"Y", Arity::kRequired, type_bit(DType::kInt64)}};
  d.infer = &infer_non_zero;
  return d;
}

}  // namespace planish::ops
