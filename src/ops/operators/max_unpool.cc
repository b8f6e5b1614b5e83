#include "ops/shape_helpers.h"
#include "ops/window.h"

namespace planish::ops {
namespace {

void infer_max_unpool(InferContext& context) {
  const Shape* x = context.input_shape(0);
  std::optional<Shape> shape;
  if (x && x->size() < 3)
    context.fail(fmt::format("the input {} must have rank 3 or more", to_string(*x)));
  if (context.has_input(2)) {
    if (const std::optional<ir::SymbolicTensor> given = context.input_symbolic(2)) {
      shape = given->elements;
      if (x && shape->size() != x->size()) context.fail("output_shape and X differ in rank");
    } else if (x) {
      shape = fresh_shape(context, static_cast<int64_t>(x->size()));
    }
  } else if (x) {
    const reference::WindowAttributes w =
        reference::read_window(context.attributes(), x->size() - 2, nullptr);
    shape = *x;
    for (size_t a = 0; a < w.rank(); ++a) {
      SizeExpr& dim = (*shape)[a + 2];
      dim = (dim - 1) * w.stride[a] + w.kernel[a] - w.begin[a] - w.end[a];
      if (dim.constant().value_or(0) < 0)
        context.fail(fmt::format("axis {} would have size {}", a + 2, dim.to_string()));
    }
  }
  context.set_output(0, tensor_type(context.input_dtype(0), shape));
}

}  // namespace

PLANISH_OPERATOR(max_unpool) {
  OpDef d;
  d.name = "MaxUnpool";
  d.since = 9;
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T1"},
              {"I", Arity::kRequired, type_bit(DType::kInt64)},
              {"output_shape", Arity::kOptional, type_bit(DType::kInt64)}};
  d.outputs = {{"output", Arity::kRequired, kAnyFloat, "T1"}};
  d.attributes = {{"kernel_shape", AttrKind::kInts, true},
                  {"pads", AttrKind::kInts},
                  {"strides", AttrKind::kInts}};
  d.infer = &infer_max_unpool;
  return d;
}

}  // namespace planish::ops
