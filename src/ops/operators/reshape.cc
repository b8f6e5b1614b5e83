// The target was an attribute up to opset 4.
#include <algorithm>

#include "ops/movement.h"

namespace planish::ops {

namespace {

// What -1 stands for: the elements of x over those of the other target dims. Dims that stand on
// both sides cancel before the rest is divided, so that symbols go through unchanged.
SizeExpr open_dim(const Shape& x, const Shape& target, size_t open) {
  Shape above = x, below;
  for (size_t i = 0; i < target.size(); ++i) {
    if (i == open) continue;
    const auto same = std::ranges::find(above, target[i]);
    if (same != above.end())
      above.erase(same);
    else
      below.push_back(target[i]);
  }
  return SizeExpr::floor_div(product(above), product(below));
}

void infer_reshape(InferContext& context) {
  std::optional<Shape> target = described_shape(context, 1);
  const Shape* x = context.input_shape(0);
  if (!target || !context.input_symbolic(1)) return set_shape(context, std::move(target));
  const bool allow_zero = context.attributes().get_int("allowzero", 0) != 0;
  std::optional<size_t> open;
  bool zero = false;
  for (size_t i = 0; i < target->size(); ++i) {
    SizeExpr& dim = (*target)[i];
    const std::optional<int64_t> number = dim.constant();
    if (number == 0 && !allow_zero) {
      if (x != nullptr && i >= x->size())
        context.fail(fmt::format("target {} copies axis {} of a tensor of rank {}",
                                 to_string(*target), i, x->size()));
      dim = x != nullptr ? (*x)[i] : context.fresh_dim();
    } else if (number == -1) {
      if (open) context.fail(fmt::format("target {} has more than one -1", to_string(*target)));
      open = i;
    } else if (number && *number < 0) {
      context.fail(fmt::format("target {} has a negative dim", to_string(*target)));
    }
    zero = zero || dim == SizeExpr(0);
  }
  if (open && allow_zero && zero)
    context.fail(fmt::format("target {} has both 0 and -1, with allowzero", to_string(*target)));
  if (x == nullptr) {
    if (open) (*target)[*open] = context.fresh_dim();
    return set_shape(context, std::move(target));
  }
  if (open) {
    if (zero) context.fail(fmt::format("-1 in {} can be anything", to_string(*target)));
    (*target)[*open] = open_dim(*x, *target, *open);
  }
  const std::optional<int64_t> have = product(*x).constant(), want = product(*target).constant();
  if (have && want && *have != *want)
    context.fail(fmt::format("{} has {} elements, the target {} has {}", to_string(*x), *have,
                             to_string(*target), *want));
  set_shape(context, target);
  keep_content(context, *target);
}

void upgrade_reshape(UpgradeContext& context) {
  context.node().attributes.erase("consumed_inputs");
  if (context.from() < 5) attribute_to_input(context, "shape", 1);
}

}  // namespace

PLANISH_OPERATOR(reshape) {
  OpDef d = mover("Reshape");
  d.inputs.push_back(int64_input("shape"));
  d.attributes = {{"allowzero", AttrKind::kInt}};
  d.legacy_attributes = {"consumed_inputs", "shape"};
  d.infer = &infer_reshape;
  d.upgrade = &upgrade_reshape;
  return d;
}

}  // namespace planish::ops
