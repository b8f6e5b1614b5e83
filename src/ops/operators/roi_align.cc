#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_roi_align(InferContext& context) {
  const Shape *x = context.input_shape(0), *rois = context.input_shape(1),
              *batches = context.input_shape(2);
  if ((x && x->size() != 4) || (rois && rois->size() != 2) || (batches && batches->size() != 1)) {
    context.fail("X, rois and batch_indices must have ranks 4, 2 and 1");
  }
  if (rois) same_dim(context, (*rois)[1], 4, "the numbers of a region and 4");
  const SizeExpr count = rois ? (*rois)[0] : batches ? (*batches)[0] : context.fresh_dim();
  const int64_t height = context.attributes().get_int("output_height", 1),
                width = context.attributes().get_int("output_width", 1);
  if (height < 1 || width < 1) context.fail(fmt::format("an output of {}x{}", height, width));
  context.set_output(0, Type::tensor(context.input_dtype(0),
                                     {count, x ? (*x)[1] : context.fresh_dim(), height, width}));
}

// Before opset 16 regions lay half a pixel off.
void upgrade_roi_align(UpgradeContext& context) {
  if (context.from() < 16)
    context.node().attributes.set("coordinate_transformation_mode",
                                  std::string("output_half_pixel"));
}

}  // namespace

PLANISH_OPERATOR(roi_align) {
  OpDef d;
  d.name = "RoiAlign";
  d.since = 10;
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T1"},
              {"rois", Arity::kRequired, kAnyFloat, "T1"},
              {"batch_indices", Arity::kRequired, type_bit(DType::kInt64)}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T1"}};
  d.attributes = {{"coordinate_transformation_mode", AttrKind::kString},
                  {"mode", AttrKind::kString},
                  {"output_height", AttrKind::kInt},
                  {"output_width", AttrKind::kInt},
                  {"sampling_ratio", AttrKind::kInt},
                  {"spatial_scale", AttrKind::kFloat}};
  d.infer = &infer_roi_align;
  d.upgrade = &upgrade_roi_align;
  return d;
}

}  // namespace planish::ops
