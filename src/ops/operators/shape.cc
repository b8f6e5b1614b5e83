#include <algorithm>

#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_shape(InferContext& context) {
  const Shape* x = context.input_shape(0);
  if (x == nullptr) {
    context.set_output(0, Type::tensor(DType::kInt64, {context.fresh_dim()}));
    return;
  }
  const auto rank = static_cast<int64_t>(x->size());
  const auto clamp = [rank](int64_t at) {
    return std::clamp(at < 0 ? at + rank : at, int64_t{0}, rank);
  };
  const int64_t start = clamp(context.attributes().get_int("start", 0));
  const int64_t end = std::max(start, clamp(context.attributes().get_int("end", rank)));
  context.set_output(0, Type::tensor(DType::kInt64, {end - start}));
  context.set_symbolic(0, {{end - start}, {x->begin() + start, x->begin() + end}});
}

}  // namespace

PLANISH_OPERATOR(shape) {
  OpDef d = mover("Shape");
  d.outputs = {{"shape", Arity::kRequired, type_bit(DType::kInt64)}};
  d.attributes = {{"end", AttrKind::kInt}, {"start", AttrKind::kInt}};
  d.infer = &infer_shape;
  return d;
}

}  // namespace planish::ops
