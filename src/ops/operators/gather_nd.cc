#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_gather_nd(InferContext& context) {
  const Shape *x = context.input_shape(0), *where = context.input_shape(1);
  if (where != nullptr && where->empty()) context.fail("indices must have an axis");
  const auto width = where != nullptr ? where->back().constant() : std::nullopt;
  if (x == nullptr || !width) return set_shape(context, std::nullopt);
  const int64_t batch = context.attributes().get_int("batch_dims", 0);
  const auto rank = static_cast<int64_t>(x->size()), depth = static_cast<int64_t>(where->size());
  if (batch < 0 || batch >= depth || batch > rank || *width < 1 || *width > rank - batch)
    context.fail(fmt::format("indices {} do not fit data {} with {} batch dims", to_string(*where),
                             to_string(*x), batch));
  Shape out(where->begin(), where->end() - 1);
  out.insert(out.end(), x->begin() + batch + *width, x->end());
  set_shape(context, std::move(out));
}

}  // namespace

PLANISH_OPERATOR(gather_nd) {
  OpDef d = mover("GatherND", 11);
  d.inputs.push_back(int64_input("indices"));
  d.attributes = {{"batch_dims", AttrKind::kInt}};
  d.infer = &infer_gather_nd;
  return d;
}

}  // namespace planish::ops
