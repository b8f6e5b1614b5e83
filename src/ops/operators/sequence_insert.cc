#include "ops/sequence.h"

namespace planish::ops {

namespace {

void infer_sequence_insert(InferContext& context) {
  const Type element = element_of(context, 0), more = context.input_type(1);
  if (element.kind == Type::Kind::kUnknown) return context.set_output(0, Type::sequence(Type{}));
  // What is inserted may differ in shape from what is there.
  context.set_output(0, Type::sequence(either(context, element, more)));
}

}  // namespace

PLANISH_OPERATOR(sequence_insert) {
  OpDef d;
  d.name = "SequenceInsert";
  d.since = 11;
  d.inputs = {any_input("input_sequence"),
              {"tensor", Arity::kRequired, kAnyTensor},
              index_input("position", Arity::kOptional)};
  d.outputs = {any_input("output_sequence")};
  d.infer = &infer_sequence_insert;
  return d;
}

}  // namespace planish::ops
