#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_eye_like(InferContext& context) {
  const int64_t wanted = context.attributes().get_int("dtype", 0);
  if (wanted < 0 || wanted >= kDTypeCount)
    context.fail(fmt::format("dtype {} is no element type", wanted));
  const DType dtype = wanted != 0 ? static_cast<DType>(wanted) : context.input_dtype(0);
  const Shape* x = context.input_shape(0);
  if (x != nullptr && x->size() != 2) context.fail(fmt::format("{} is no matrix", to_string(*x)));
  context.set_output(0, tensor_type(dtype, x != nullptr ? std::optional<Shape>(*x) : std::nullopt));
}

}  // namespace

PLANISH_OPERATOR(eye_like) {
  const TypeSet types = kAnyNumeric | type_bit(DType::kBool);
  OpDef d;
  d.name = "EyeLike";
  d.since = 9;
  d.inputs = {{"input", Arity::kRequired, types}};
  d.outputs = {{"output", Arity::kRequired, types}};
  d.attributes = {{"dtype", AttrKind::kInt}, {"k", AttrKind::kInt}};
  d.infer = &infer_eye_like;
  return d;
}

}  // namespace planish::ops
