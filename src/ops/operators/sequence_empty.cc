#include "ops/sequence.h"

namespace planish::ops {

namespace {

void infer_sequence_empty(InferContext& context) {
  const int64_t dtype =
      context.attributes().get_int("dtype", static_cast<int64_t>(DType::kFloat32));
  if (dtype <= 0 || dtype >= kDTypeCount)
    context.fail(fmt::format("dtype {} is no element type", dtype));
  context.set_output(0, Type::sequence(Type::tensor(static_cast<DType>(dtype))));
}

}  // namespace

PLANISH_OPERATOR(sequence_empty) {
  OpDef d;
  d.name = "SequenceEmpty";
  d.since = 11;
  d.outputs = {any_input("output")};
  d.attributes = {{"dtype", AttrKind::kInt}};
  d.infer = &infer_sequence_empty;
  return d;
}

}  // namespace planish::ops
