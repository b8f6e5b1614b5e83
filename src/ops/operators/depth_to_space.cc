#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_depth_to_space(InferContext& context) {
  const Shape* x = context.input_shape(0);
  const int64_t block = context.attributes().get_int("blocksize");
  if (block < 1 || block > (int64_t{1} << 30)) context.fail(fmt::format("blocksize is {}", block));
  if (x == nullptr) return set_shape(context, fresh_shape(context, 4));
  if (x->size() != 4) context.fail(fmt::format("{} must have four axes", to_string(*x)));
  const std::optional<int64_t> depth = (*x)[1].constant();
  if (depth && *depth % (block * block) != 0)
    context.fail(fmt::format("{} channels do not divide into {} x {}", *depth, block, block));
  set_shape(context, Shape{(*x)[0], SizeExpr::floor_div((*x)[1], block * block), (*x)[2] * block,
                           (*x)[3] * block});
}

}  // namespace

PLANISH_OPERATOR(depth_to_space) {
  OpDef d = mover("DepthToSpace");
  d.attributes = {{"blocksize", AttrKind::kInt, true}, {"mode", AttrKind::kString}};
  d.infer = &infer_depth_to_space;
  return d;
}

}  // namespace planish::ops
