#include "ops/movement.h"

namespace planish::ops {

PLANISH_OPERATOR(identity) {
  OpDef d;
  d.name = "Identity";
  // Sequences and optionals too.
  d.inputs = {{"input", Arity::kRequired, 0, "V"}};
  d.outputs = {{"output", Arity::kRequired, 0, "V"}};
  d.infer = [](InferContext& context) { same_as_input(context); };
  return d;
}

}  // namespace planish::ops
