#include "ops/sequence.h"

namespace planish::ops {

namespace {

void infer_split_to_sequence(InferContext& context) {
  const Shape* x = context.input_shape(0);
  const DType dtype = context.input_dtype(0);
  if (x == nullptr) return context.set_output(0, Type::sequence(Type::tensor(dtype)));
  const int64_t axis = normalize_axis(context, context.attributes().get_int("axis", 0),
                                      static_cast<int64_t>(x->size()));
  Shape part = *x;
  SizeExpr& dim = part[static_cast<size_t>(axis)];
  if (!context.has_input(1)) {
    dim = 1;
    if (context.attributes().get_int("keepdims", 1) == 0) part.erase(part.begin() + axis);
  } else {
    dim = context.fresh_dim();  // the parts may differ
  }
  context.set_output(0, Type::sequence(Type::tensor(dtype, std::move(part))));
}

}  // namespace

PLANISH_OPERATOR(split_to_sequence) {
  OpDef d = mover("SplitToSequence", 11);
  d.inputs.push_back(index_input("split", Arity::kOptional));
  d.outputs = {any_input("output_sequence")};
  d.attributes = {{"axis", AttrKind::kInt}, {"keepdims", AttrKind::kInt}};
  d.infer = &infer_split_to_sequence;
  return d;
}

}  // namespace planish::ops
