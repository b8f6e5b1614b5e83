#include "ops/sequence.h"

namespace planish::ops {

namespace {

void infer_sequence_construct(InferContext& context) {
  if (context.input_count() == 0) context.fail("needs at least one input");
  Type element = context.input_type(0);
  for (size_t i = 1; i < context.input_count(); ++i)
    element = either(context, element, context.input_type(i));
  context.set_output(0, Type::sequence(std::move(element)));
}

}  // namespace

PLANISH_OPERATOR(sequence_construct) {
  OpDef d;
  d.name = "SequenceConstruct";
  d.since = 11;
  d.inputs = {{"inputs", Arity::kVariadic, kAnyTensor, "T"}};
  d.outputs = {any_input("output_sequence")};
  d.infer = &infer_sequence_construct;
  return d;
}

}  // namespace planish::ops
