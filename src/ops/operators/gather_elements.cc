#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_gather_elements(InferContext& context) {
  const Shape *x = context.input_shape(0), *where = context.input_shape(1);
  if (x != nullptr)
    normalize_axis(context, context.attributes().get_int("axis", 0),
                   static_cast<int64_t>(x->size()));
  if (x != nullptr && where != nullptr && x->size() != where->size())
    context.fail(fmt::format("indices have rank {}, data has {}", where->size(), x->size()));
  set_shape(context, where != nullptr ? std::optional<Shape>(*where) : std::nullopt);
}

}  // namespace

PLANISH_OPERATOR(gather_elements) {
  OpDef d = mover("GatherElements", 11);
  d.inputs.push_back(index_input("indices"));
  d.attributes = {{"axis", AttrKind::kInt}};
  d.infer = &infer_gather_elements;
  return d;
}

}  // namespace planish::ops
