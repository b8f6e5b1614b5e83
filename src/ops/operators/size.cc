#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_size(InferContext& context) {
  context.set_output(0, Type::tensor(DType::kInt64, Shape{}));
  if (const Shape* x = context.input_shape(0)) context.set_symbolic(0, {{}, {product(*x)}});
}

}  // namespace

PLANISH_OPERATOR(size) {
  OpDef d = mover("Size");
  d.outputs = {{"size", Arity::kRequired, type_bit(DType::kInt64)}};
  d.infer = &infer_size;
  return d;
}

}  // namespace planish::ops
