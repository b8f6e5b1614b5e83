#include "ops/sequence.h"

namespace planish::ops {

PLANISH_OPERATOR(sequence_length) {
  OpDef d;
  d.name = "SequenceLength";
  d.since = 11;
  d.inputs = {any_input("input_sequence")};
  d.outputs = {{"length", Arity::kRequired, type_bit(DType::kInt64)}};
  d.infer = [](InferContext& context) {
    context.set_output(0, Type::tensor(DType::kInt64, Shape{}));
  };
  return d;
}

}  // namespace planish::ops
