#include "ops/normalization.h"
#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_rms_normalization(InferContext& context) {
  check_one_way(context, 1);
  const Shape* x = context.input_shape(0);
  if (x)
    normalize_axis(context, context.attributes().get_int("axis", -1),
                   static_cast<int64_t>(x->size()));
  context.set_output(0, tensor_type(context.input_dtype(1), x ? std::optional(*x) : std::nullopt));
}

}  // namespace

PLANISH_OPERATOR(rms_normalization) {
  OpDef d;
  d.name = "RMSNormalization";
  d.since = 23;
  d.inputs = {{"X", Arity::kRequired, kAnyFloat}, {"scale", Arity::kRequired, kAnyFloat, "V"}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "V"}};
  d.attributes = {
      {"axis", AttrKind::kInt}, {"epsilon", AttrKind::kFloat}, {"stash_type", AttrKind::kInt}};
  d.infer = &infer_rms_normalization;
  d.cost = &normalization_cost;
  return d;
}

}  // namespace planish::ops
