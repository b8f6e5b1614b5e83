#include "ops/ml_rows.h"

namespace planish::ops {

PLANISH_OPERATOR(linear_classifier) {
  OpDef d;
  d.domain = kMlDomain;
  d.name = "LinearClassifier";
  d.inputs = {{"X", Arity::kRequired, kFeatures}};
  d.outputs = {{"Y", Arity::kRequired, type_bit(DType::kInt64) | type_bit(DType::kString)},
               {"Z", Arity::kRequired, type_bit(DType::kFloat32)}};
  d.attributes = {
      {"classlabels_ints", AttrKind::kInts},     {"classlabels_strings", AttrKind::kStrings},
      {"coefficients", AttrKind::kFloats, true}, {"intercepts", AttrKind::kFloats},
      {"multi_class", AttrKind::kInt},           {"post_transform", AttrKind::kString}};
  d.infer = [](InferContext& context) {
    infer_classifier(context, "classlabels_ints", "classlabels_strings");
  };
  return d;
}

}  // namespace planish::ops
