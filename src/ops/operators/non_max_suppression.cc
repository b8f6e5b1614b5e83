#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_non_max_suppression(InferContext& context) {
  const Shape *boxes = context.input_shape(0), *scores = context.input_shape(1);
  if ((boxes && boxes->size() != 3) || (scores && scores->size() != 3))
    context.fail("boxes and scores must have rank 3");
  if (boxes) same_dim(context, (*boxes)[2], 4, "the numbers of a box and 4");
  if (boxes && scores) {
    same_dim(context, (*boxes)[0], (*scores)[0], "the batches of boxes and scores");
    same_dim(context, (*boxes)[1], (*scores)[2], "the boxes and their scores");
  }
  context.set_output(0, Type::tensor(DType::kInt64, {context.fresh_dim(), 3}));
}

}  // namespace

PLANISH_OPERATOR(non_max_suppression) {
  const TypeSet f = type_bit(DType::kFloat32), i = type_bit(DType::kInt64);
  OpDef d;
  d.name = "NonMaxSuppression";
  d.since = 10;
  d.inputs = {{"boxes", Arity::kRequired, f},
              {"scores", Arity::kRequired, f},
              {"max_output_boxes_per_class", Arity::kOptional, i},
              {"iou_threshold", Arity::kOptional, f},
              {"score_threshold", Arity::kOptional, f}};
  d.outputs = {{"selected_indices", Arity::kRequired, i}};
  d.attributes = {{"center_point_box", AttrKind::kInt}};
  d.infer = &infer_non_max_suppression;
  return d;
}

}  // namespace planish::ops
