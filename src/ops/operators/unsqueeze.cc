// The axes were an attribute up to opset 12.
#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_unsqueeze(InferContext& context) {
  const Shape* x = context.input_shape(0);
  const auto given = context.input_ints(1);
  if (x == nullptr) return set_shape(context, std::nullopt);
  if (!given) {
    const Shape* list = context.input_shape(1);
    const auto count = list != nullptr && list->size() == 1 ? (*list)[0].constant() : std::nullopt;
    if (!count || *count > kMaxSymbolicElements) return set_shape(context, std::nullopt);
    return set_shape(context, fresh_shape(context, static_cast<int64_t>(x->size()) + *count));
  }
  const auto rank = static_cast<int64_t>(x->size() + given->size());
  std::vector<bool> one(static_cast<size_t>(rank), false);
  for (const int64_t axis : normalize_axes(context, *given, rank))
    one[static_cast<size_t>(axis)] = true;
  Shape out;
  size_t next = 0;
  for (const bool fresh : one) out.push_back(fresh ? SizeExpr(1) : (*x)[next++]);
  set_shape(context, out);
  keep_content(context, out);
}

void upgrade_unsqueeze(UpgradeContext& context) {
  if (context.from() < 13) attribute_to_input(context, "axes", 1);
}

}  // namespace

PLANISH_OPERATOR(unsqueeze) {
  OpDef d = mover("Unsqueeze");
  d.inputs.push_back(int64_input("axes"));
  d.legacy_attributes = {"axes"};
  d.infer = &infer_unsqueeze;
  d.upgrade = &upgrade_unsqueeze;
  return d;
}

}  // namespace planish::ops
