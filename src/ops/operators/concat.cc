// Before opset 4 axis was optional and 1 by default.
#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_concat(InferContext& context) {
  if (context.input_count() == 0) context.fail("needs at least one input");
  std::optional<Shape> out;
  size_t known = 0;
  SizeExpr total = 0;
  for (size_t i = 0; i < context.input_count(); ++i) {
    const Shape* x = context.input_shape(i);
    if (x == nullptr) continue;
    const auto rank = static_cast<int64_t>(x->size());
    const auto axis =
        static_cast<size_t>(normalize_axis(context, context.attributes().get_int("axis"), rank));
    total = total + (*x)[axis];
    ++known;
    if (!out) {
      out = *x;
      continue;
    }
    if (out->size() != x->size())
      context.fail(fmt::format("input {} has rank {}, not {}", i, rank, out->size()));
    for (size_t k = 0; k < out->size(); ++k) {
      if (k != axis) (*out)[k] = same_dim(context, (*out)[k], (*x)[k], "dims besides the axis");
    }
  }
  if (out) {
    const auto rank = static_cast<int64_t>(out->size());
    const int64_t axis = normalize_axis(context, context.attributes().get_int("axis"), rank);
    const bool all = known == context.input_count();
    (*out)[static_cast<size_t>(axis)] = all ? total : context.fresh_dim();
  }
  DType dtype = DType::kUndefined;
  for (size_t i = 0; i < context.input_count() && dtype == DType::kUndefined; ++i)
    dtype = context.input_dtype(i);
  const bool list = out && out->size() == 1;
  context.set_output(0, tensor_type(dtype, std::move(out)));
  if (!list) return;
  ir::SymbolicTensor content;
  for (size_t i = 0; i < context.input_count(); ++i) {
    const auto part = context.input_symbolic(i);
    if (!part) return;
    content.elements.insert(content.elements.end(), part->elements.begin(), part->elements.end());
  }
  content.dims = {static_cast<int64_t>(content.elements.size())};
  context.set_symbolic(0, std::move(content));
}

void upgrade_concat(UpgradeContext& context) {
  Attributes& attributes = context.node().attributes;
  if (context.from() < 4 && !attributes.has("axis")) attributes.set("axis", int64_t{1});
}

}  // namespace

PLANISH_OPERATOR(concat) {
  OpDef d = mover("Concat");
  d.inputs = {{"inputs", Arity::kVariadic, kAnyTensor, "T"}};
  d.attributes = {{"axis", AttrKind::kInt, true}};
  d.infer = &infer_concat;
  d.upgrade = &upgrade_concat;
  return d;
}

}  // namespace planish::ops
