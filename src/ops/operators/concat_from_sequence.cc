#include "ops/sequence.h"

namespace planish::ops {

namespace {

void infer_concat_from_sequence(InferContext& context) {
  const Type element = element_of(context, 0);
  if (!element.has_shape()) return context.set_output(0, Type::tensor(element.dtype));
  const bool stack = context.attributes().get_int("new_axis", 0) != 0;
  const auto rank = static_cast<int64_t>(element.shape->size()) + (stack ? 1 : 0);
  const int64_t axis = normalize_axis(context, context.attributes().get_int("axis"), rank);
  Shape out = *element.shape;
  // The number of elements, or the sum of their dims: known at run time.
  if (stack)
    out.insert(out.begin() + axis, context.fresh_dim());
  else
    out[static_cast<size_t>(axis)] = context.fresh_dim();
  context.set_output(0, Type::tensor(element.dtype, std::move(out)));
}

}  // namespace

PLANISH_OPERATOR(concat_from_sequence) {
  OpDef d;
  d.name = "ConcatFromSequence";
  d.since = 11;
  d.inputs = {any_input("input_sequence")};
  d.outputs = {{"concat_result", Arity::kRequired, kAnyTensor}};
  d.attributes = {{"axis", AttrKind::kInt, true}, {"new_axis", AttrKind::kInt}};
  d.infer = &infer_concat_from_sequence;
  return d;
}

}  // namespace planish::ops
