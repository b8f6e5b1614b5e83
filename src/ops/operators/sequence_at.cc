#include "ops/sequence.h"

namespace planish::ops {

PLANISH_OPERATOR(sequence_at) {
  OpDef d;
  d.name = "SequenceAt";
  d.since = 11;
  d.inputs = {any_input("input_sequence"), index_input("position")};
  d.outputs = {any_input("tensor")};
  d.infer = [](InferContext& context) { context.set_output(0, element_of(context, 0)); };
  return d;
}

}  // namespace planish::ops
