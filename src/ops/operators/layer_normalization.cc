#include "ops/normalization.h"
#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_layer_normalization(InferContext& context) {
  check_one_way(context, 1);
  check_one_way(context, 2);
  same_as_input(context);
  if (context.output_count() < 2) return;
  const int64_t stash = context.attributes().get_int("stash_type", 1);
  if (stash < 1 || stash >= kDTypeCount || (kAnyFloat & type_bit(static_cast<DType>(stash))) == 0) {
    context.fail(fmt::format("stash_type {} is not a float type", stash));
  }
  std::optional<Shape> kept;
  if (const Shape* x = context.input_shape(0)) {
    kept = *x;
    const auto axis = static_cast<size_t>(normalize_axis(
        context, context.attributes().get_int("axis", -1), static_cast<int64_t>(x->size())));
    for (size_t i = axis; i < kept->size(); ++i) (*kept)[i] = 1;
  }
  for (size_t i = 1; i < context.output_count(); ++i) {
    context.set_output(i, tensor_type(static_cast<DType>(stash), kept));
  }
}

}  // namespace

PLANISH_OPERATOR(layer_normalization) {
  OpDef d;
  d.name = "LayerNormalization";
  d.since = 17;
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T"},
              {"Scale", Arity::kRequired, kAnyFloat, "T"},
              {"B", Arity::kOptional, kAnyFloat, "T"}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T"},
               {"Mean", Arity::kOptional, kAnyFloat},
               {"InvStdDev", Arity::kOptional, kAnyFloat}};
  d.attributes = {
      {"axis", AttrKind::kInt}, {"epsilon", AttrKind::kFloat}, {"stash_type", AttrKind::kInt}};
  d.infer = &infer_layer_normalization;
  d.cost = &normalization_cost;
  return d;
}

}  // namespace planish::ops
