#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_lrn(InferContext& context) {
  const int64_t size = context.attributes().get_int("size");
  if (size < 1) context.fail(fmt::format("size is {}; it must be positive", size));
  if (const Shape* x = context.input_shape(0); x && x->size() < 2) {
    context.fail(fmt::format("the input {} has no channels", to_string(*x)));
  }
  same_as_input(context);
}

}  // namespace

PLANISH_OPERATOR(lrn) {
  OpDef d;
  d.name = "LRN";
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T"}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T"}};
  d.attributes = {{"alpha", AttrKind::kFloat},
                  {"beta", AttrKind::kFloat},
                  {"bias", AttrKind::kFloat},
                  {"size", AttrKind::kInt, true}};
  d.infer = &infer_lrn;
  return d;
}

}  // namespace planish::ops
