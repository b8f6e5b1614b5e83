#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_gather(InferContext& context) {
  const Shape *x = context.input_shape(0), *where = context.input_shape(1);
  if (x == nullptr || where == nullptr) return set_shape(context, std::nullopt);
  const int64_t axis = normalize_axis(context, context.attributes().get_int("axis", 0),
                                      static_cast<int64_t>(x->size()));
  Shape out(x->begin(), x->begin() + axis);
  out.insert(out.end(), where->begin(), where->end());
  out.insert(out.end(), x->begin() + axis + 1, x->end());
  set_shape(context, std::move(out));
  const auto content = context.input_symbolic(0);
  const auto index = context.input_ints(1);
  const auto dims = constant_dims(*where);
  if (!content || !index || !dims || content->dims.size() != 1) return;
  ir::SymbolicTensor chosen{*dims, {}};
  const int64_t bound = content->dims[0];
  for (const int64_t i : *index) {
    if (i < -bound || i >= bound)
      context.fail(fmt::format("index {} is outside [{}, {})", i, -bound, bound));
    chosen.elements.push_back(content->elements[static_cast<size_t>(i < 0 ? i + bound : i)]);
  }
  context.set_symbolic(0, std::move(chosen));
}

}  // namespace

PLANISH_OPERATOR(gather) {
  OpDef d = mover("Gather");
  d.inputs.push_back(index_input("indices"));
  d.attributes = {{"axis", AttrKind::kInt}};
  d.infer = &infer_gather;
  return d;
}

}  // namespace planish::ops
