#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_transpose(InferContext& context) {
  const Shape* x = context.input_shape(0);
  const Ints& perm = context.attributes().get_ints("perm");
  const bool reverse = !context.attributes().has("perm");
  if (x == nullptr) {
    if (reverse) return set_shape(context, std::nullopt);
    return set_shape(context, fresh_shape(context, static_cast<int64_t>(perm.size())));
  }
  Shape out(x->rbegin(), x->rend());
  if (!reverse) {
    const auto rank = static_cast<int64_t>(x->size());
    if (perm.size() != x->size())
      context.fail(fmt::format("perm has {} axes for a tensor of rank {}", perm.size(), rank));
    for (const int64_t axis : perm) {
      if (axis < 0) context.fail(fmt::format("perm has the negative axis {}", axis));
    }
    const std::vector<int64_t> axes = normalize_axes(context, perm, rank, "perm");
    for (size_t i = 0; i < axes.size(); ++i) out[i] = (*x)[static_cast<size_t>(axes[i])];
  }
  set_shape(context, out);
  if (x->size() < 2) keep_content(context, out);
}

}  // namespace

PLANISH_OPERATOR(transpose) {
  OpDef d = mover("Transpose");
  d.attributes = {{"perm", AttrKind::kInts}};
  d.infer = &infer_transpose;
  return d;
}

}  // namespace planish::ops
