#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_reverse_sequence(InferContext& context) {
  const Shape *x = context.input_shape(0), *lengths = context.input_shape(1);
  if (x) {
    const auto rank = static_cast<int64_t>(x->size());
    const int64_t time =
        normalize_axis(context, context.attributes().get_int("time_axis", 0), rank, "time_axis");
    const int64_t batch =
        normalize_axis(context, context.attributes().get_int("batch_axis", 1), rank, "batch_axis");
    if (time == batch) context.fail(fmt::format("time_axis and batch_axis are both {}", time));
    if (lengths && lengths->size() == 1) {
      same_dim(context, (*lengths)[0], (*x)[static_cast<size_t>(batch)],
               "the lengths and the batch");
    }
  }
  if (lengths && lengths->size() != 1) context.fail("sequence_lens must be a vector");
  const Type& type = context.input_type(0);
  context.set_output(0, type);
}

}  // namespace

PLANISH_OPERATOR(reverse_sequence) {
  OpDef d;
  d.name = "ReverseSequence";
  d.since = 10;
  d.inputs = {{"input", Arity::kRequired, kAnyTensor, "T"},
              {"sequence_lens", Arity::kRequired, type_bit(DType::kInt64)}};
  d.outputs = {{"Y", Arity::kRequired, kAnyTensor, "T"}};
  d.attributes = {{"batch_axis", AttrKind::kInt}, {"time_axis", AttrKind::kInt}};
  d.infer = &infer_reverse_sequence;
  return d;
}

}  // namespace planish::ops
