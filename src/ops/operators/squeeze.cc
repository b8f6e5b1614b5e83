// The axes were an attribute up to opset 12.
#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_squeeze(InferContext& context) {
  const Shape* x = context.input_shape(0);
  if (x == nullptr) return set_shape(context, std::nullopt);
  const auto rank = static_cast<int64_t>(x->size());
  std::vector<bool> drop(x->size(), false);
  if (context.has_input(1)) {
    const auto given = context.input_ints(1);
    if (!given) {
      const Shape* list = context.input_shape(1);
      const auto count =
          list != nullptr && list->size() == 1 ? (*list)[0].constant() : std::nullopt;
      // Of several axes some may be named twice: then fewer dims go.
      if (!count || *count > 1 || *count > rank) return set_shape(context, std::nullopt);
      return set_shape(context, fresh_shape(context, rank - *count));
    }
    for (const int64_t axis : *given) {
      const auto at = static_cast<size_t>(normalize_axis(context, axis, rank));
      if ((*x)[at].is_constant() && (*x)[at] != SizeExpr(1))
        context.fail(fmt::format("axis {} of {} is not 1", axis, to_string(*x)));
      drop[at] = true;
    }
  } else {
    // All ones go; of a symbol that cannot be told.
    for (size_t i = 0; i < drop.size(); ++i) {
      if (!(*x)[i].is_constant()) return set_shape(context, std::nullopt);
      drop[i] = (*x)[i] == SizeExpr(1);
    }
  }
  Shape out;
  for (size_t i = 0; i < drop.size(); ++i) {
    if (!drop[i]) out.push_back((*x)[i]);
  }
  set_shape(context, out);
  keep_content(context, out);
}

void upgrade_squeeze(UpgradeContext& context) {
  if (context.from() < 13) attribute_to_input(context, "axes", 1);
}

}  // namespace

PLANISH_OPERATOR(squeeze) {
  OpDef d = mover("Squeeze");
  d.inputs.push_back(int64_input("axes", Arity::kOptional));
  d.legacy_attributes = {"axes"};
  d.infer = &infer_squeeze;
  d.upgrade = &upgrade_squeeze;
  return d;
}

}  // namespace planish::ops
