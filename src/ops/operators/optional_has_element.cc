#include "ops/sequence.h"

namespace planish::ops {

PLANISH_OPERATOR(optional_has_element) {
  OpDef d;
  d.name = "OptionalHasElement";
  d.since = 15;
  d.inputs = {any_input("input", Arity::kOptional)};
  d.outputs = {{"output", Arity::kRequired, type_bit(DType::kBool)}};
  d.infer = [](InferContext& context) {
    context.set_output(0, Type::tensor(DType::kBool, Shape{}));
  };
  return d;
}

}  // namespace planish::ops
