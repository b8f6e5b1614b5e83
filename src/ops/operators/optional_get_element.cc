// From opset 18 on a tensor or sequence is its own element.
#include "ops/sequence.h"

namespace planish::ops {

namespace {

void infer_optional_get_element(InferContext& context) {
  const Type& x = context.input_type(0);
  context.set_output(0, x.kind == Type::Kind::kOptional ? element_of(context, 0) : x);
}

}  // namespace

PLANISH_OPERATOR(optional_get_element) {
  OpDef d;
  d.name = "OptionalGetElement";
  d.since = 15;
  d.inputs = {any_input("input")};
  d.outputs = {any_input("output")};
  d.infer = &infer_optional_get_element;
  return d;
}

}  // namespace planish::ops
