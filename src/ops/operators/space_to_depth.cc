#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_space_to_depth(InferContext& context) {
  const Shape* x = context.input_shape(0);
  const int64_t block = context.attributes().get_int("blocksize");
  if (block < 1 || block > (int64_t{1} << 30)) context.fail(fmt::format("blocksize is {}", block));
  if (x == nullptr) return set_shape(context, fresh_shape(context, 4));
  if (x->size() != 4) context.fail(fmt::format("{} must have four axes", to_string(*x)));
  for (const size_t axis : {size_t{2}, size_t{3}}) {
    const std::optional<int64_t> dim = (*x)[axis].constant();
    if (dim && *dim % block != 0)
      context.fail(fmt::format("axis {} of {} does not divide by {}", axis, *dim, block));
  }
  set_shape(context, Shape{(*x)[0], (*x)[1] * (block * block), SizeExpr::floor_div((*x)[2], block),
                           SizeExpr::floor_div((*x)[3], block)});
}

}  // namespace

PLANISH_OPERATOR(space_to_depth) {
  OpDef d = mover("SpaceToDepth");
  d.attributes = {{"blocksize", AttrKind::kInt, true}, {"mode", AttrKind::kString}};
  d.infer = &infer_space_to_depth;
  return d;
}

}  // namespace planish::ops
