#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_flatten(InferContext& context) {
  const Shape* x = context.input_shape(0);
  if (x == nullptr) return set_shape(context, fresh_shape(context, 2));
  const auto rank = static_cast<int64_t>(x->size());
  int64_t axis = context.attributes().get_int("axis", 1);
  // Unlike elsewhere, the rank itself is a legal axis.
  if (axis != rank) axis = normalize_axis(context, axis, rank);
  const std::span<const SizeExpr> dims = *x;
  const auto at = static_cast<size_t>(axis);
  const Shape out = {product(dims.first(at)), product(dims.subspan(at))};
  set_shape(context, out);
  keep_content(context, out);
}

}  // namespace

PLANISH_OPERATOR(flatten) {
  OpDef d = mover("Flatten");
  d.attributes = {{"axis", AttrKind::kInt}};
  d.infer = &infer_flatten;
  return d;
}

}  // namespace planish::ops
