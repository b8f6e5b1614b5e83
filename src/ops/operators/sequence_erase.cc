#include "ops/sequence.h"

namespace planish::ops {

PLANISH_OPERATOR(sequence_erase) {
  OpDef d;
  d.name = "SequenceErase";
  d.since = 11;
  d.inputs = {any_input("input_sequence"), index_input("position", Arity::kOptional)};
  d.outputs = {any_input("output_sequence")};
  d.infer = &infer_same;
  return d;
}

}  // namespace planish::ops
