#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_unique(InferContext& context) {
  const Shape* x = context.input_shape(0);
  const DType dtype = context.input_dtype(0);
  const SizeExpr found = context.fresh_dim();
  SizeExpr items = x != nullptr ? product(*x) : context.fresh_dim();
  std::optional<Shape> out = Shape{found};
  if (context.attributes().has("axis")) {
    out = x != nullptr ? std::optional<Shape>(*x) : std::nullopt;
    if (out) {
      const auto axis = static_cast<size_t>(normalize_axis(
          context, context.attributes().get_int("axis"), static_cast<int64_t>(x->size())));
      items = (*x)[axis];
      (*out)[axis] = found;
    }
  }
  context.set_output(0, tensor_type(dtype, std::move(out)));
  context.set_output(1, Type::tensor(DType::kInt64, {found}));
  context.set_output(2, Type::tensor(DType::kInt64, {items}));
  context.set_output(3, Type::tensor(DType::kInt64, {found}));
}

}  // namespace

PLANISH_OPERATOR(unique) {
  const TypeSet int64 = type_bit(DType::kInt64);
  OpDef d = mover("Unique", 11);
  d.outputs = {{"Y", Arity::kRequired, kAnyTensor, "T"},
               {"indices", Arity::kOptional, int64},
               {"inverse_indices", Arity::kOptional, int64},
               {"counts", Arity::kOptional, int64}};
  d.attributes = {{"axis", AttrKind::kInt}, {"sorted", AttrKind::kInt}};
  d.infer = &infer_unique;
  return d;
}

}  // namespace planish::ops
