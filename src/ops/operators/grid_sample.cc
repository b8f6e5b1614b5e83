#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_grid_sample(InferContext& context) {
  const Shape *x = context.input_shape(0), *grid = context.input_shape(1);
  std::optional<Shape> shape;
  if (x && grid) {
    if (x->size() < 3 || grid->size() != x->size()) {
      context.fail(
          fmt::format("a grid {} does not fit the input {}", to_string(*grid), to_string(*x)));
    }
    same_dim(context, (*x)[0], (*grid)[0], "the batches of input and grid");
    same_dim(context, grid->back(), static_cast<int64_t>(x->size()) - 2,
             "the grid's coordinates and the spatial axes");
    shape = Shape{(*x)[0], (*x)[1]};
    shape->insert(shape->end(), grid->begin() + 1, grid->end() - 1);
  }
  context.set_output(0, tensor_type(context.input_dtype(0), shape));
}

// Opset 16 named the modes after their two-dimensional forms.
void upgrade_grid_sample(UpgradeContext& context) {
  if (context.from() >= 20) return;
  const std::string mode = context.node().attributes.get_string("mode", "bilinear");
  if (mode == "bilinear") context.node().attributes.set("mode", std::string("linear"));
  if (mode == "bicubic") context.node().attributes.set("mode", std::string("cubic"));
}

}  // namespace

PLANISH_OPERATOR(grid_sample) {
  OpDef d;
  d.name = "GridSample";
  d.since = 16;
  d.inputs = {{"X", Arity::kRequired, kAnyNumeric, "T1"}, {"grid", Arity::kRequired, kAnyFloat}};
  d.outputs = {{"Y", Arity::kRequired, kAnyNumeric, "T1"}};
  d.attributes = {{"align_corners", AttrKind::kInt},
                  {"mode", AttrKind::kString},
                  {"padding_mode", AttrKind::kString}};
  d.infer = &infer_grid_sample;
  d.upgrade = &upgrade_grid_sample;
  return d;
}

}  // namespace planish::ops
