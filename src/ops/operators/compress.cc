#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_compress(InferContext& context) {
  const Shape* x = context.input_shape(0);
  std::optional<Shape> shape;
  if (!context.attributes().has("axis")) {
    shape = Shape{context.fresh_dim()};
  } else if (x) {
    shape = *x;
    const int64_t axis = normalize_axis(context, context.attributes().get_int("axis"),
                                        static_cast<int64_t>(x->size()));
    (*shape)[static_cast<size_t>(axis)] = context.fresh_dim();
  }
  context.set_output(0, tensor_type(context.input_dtype(0), shape));
}

}  // namespace

PLANISH_OPERATOR(compress) {
  OpDef d;
  d.name = "Compress";
  d.since = 9;
  d.inputs = {{"input", Arity::kRequired, kAnyTensor, "T"},
              {"condition", Arity::kRequired, type_bit(DType::kBool)}};
  d.outputs = {{"output", Arity::kRequired, kAnyTensor, "T"}};
  d.attributes = {{"axis", AttrKind::kInt}};
  d.infer = &infer_compress;
  return d;
}

}  // namespace planish::ops
