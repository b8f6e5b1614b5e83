#include "ops/elementwise.h"

namespace planish::ops {

namespace {

void infer_neg(InferContext& context) {
  infer_same(context);
  auto content = context.input_symbolic(0);
  if (!content) return;
  try {
    for (SizeExpr& element : content->elements) element = -element;
  } catch (const Error&) {
    return;  // the lowest integer has no negative: the run wraps, a size does not
  }
  context.set_symbolic(0, std::move(*content));
}

}  // namespace

PLANISH_OPERATOR(neg) {
  OpDef d = activation("Neg", 1, signed_numbers());
  d.infer = &infer_neg;
  return d;
}

}  // namespace planish::ops
