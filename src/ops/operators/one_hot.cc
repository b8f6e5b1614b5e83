#include "base/elements.h"
#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_one_hot(InferContext& context) {
  const DType dtype = context.input_dtype(2);
  const Shape* where = context.input_shape(0);
  if (where == nullptr) return context.set_output(0, Type::tensor(dtype));
  const int64_t axis = normalize_axis(context, context.attributes().get_int("axis", -1),
                                      static_cast<int64_t>(where->size()) + 1);
  const auto content = context.input_symbolic(1);
  const Tensor* constant = context.input_constant(1);
  SizeExpr depth = 0;
  if (content && content->elements.size() == 1) {
    depth = content->elements[0];
  } else if (constant != nullptr && constant->size() == 1) {
    const double number = load_double(*constant, 0);
    if (!(number >= 0 && number < 0x1p53)) context.fail(fmt::format("depth is {}", number));
    depth = static_cast<int64_t>(number);
  } else {
    depth = context.fresh_dim();
  }
  if (depth.constant().value_or(0) < 0) context.fail(fmt::format("depth is {}", depth.to_string()));
  Shape out = *where;
  out.insert(out.begin() + axis, depth);
  context.set_output(0, Type::tensor(dtype, std::move(out)));
}

}  // namespace

PLANISH_OPERATOR(one_hot) {
  OpDef d;
  d.name = "OneHot";
  d.since = 9;
  d.inputs = {{"indices", Arity::kRequired, kAnyNumeric},
              {"depth", Arity::kRequired, kAnyNumeric},
              {"values", Arity::kRequired, kAnyTensor, "T3"}};
  d.outputs = {{"output", Arity::kRequired, kAnyTensor, "T3"}};
  d.attributes = {{"axis", AttrKind::kInt}};
  d.infer = &infer_one_hot;
  return d;
}

}  // namespace planish::ops
