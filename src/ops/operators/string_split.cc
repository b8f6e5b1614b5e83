#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_string_split(InferContext& context) {
  const Shape* x = context.input_shape(0);
  if (x == nullptr) {
    context.set_output(0, Type::tensor(DType::kString));
    context.set_output(1, Type::tensor(DType::kInt64));
    return;
  }
  Shape parts = *x;
  parts.push_back(context.fresh_dim());
  context.set_output(0, Type::tensor(DType::kString, std::move(parts)));
  context.set_output(1, Type::tensor(DType::kInt64, *x));
}

}  // namespace

PLANISH_OPERATOR(string_split) {
  OpDef d;
  d.name = "StringSplit";
  d.since = 20;
  d.inputs = {{"X", Arity::kRequired, type_bit(DType::kString)}};
  d.outputs = {{"Y", Arity::kRequired, type_bit(DType::kString)},
               {"Z", Arity::kRequired, type_bit(DType::kInt64)}};
  d.attributes = {{"delimiter", AttrKind::kString}, {"maxsplit", AttrKind::kInt}};
  d.infer = &infer_string_split;
  return d;
}

}  // namespace planish::ops
