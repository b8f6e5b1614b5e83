#include "ops/ml_rows.h"
#include "ops/tree_nodes.h"

namespace planish::ops {

PLANISH_OPERATOR(tree_ensemble_classifier) {
  OpDef d;
  d.domain = kMlDomain;
  d.name = "TreeEnsembleClassifier";
  d.inputs = {{"X", Arity::kRequired, kFeatures}};
  d.outputs = {{"Y", Arity::kRequired, type_bit(DType::kInt64) | type_bit(DType::kString)},
               {"Z", Arity::kRequired, type_bit(DType::kFloat32)}};
  d.attributes = tree_attributes({{"class_ids", AttrKind::kInts},
                                  {"class_nodeids", AttrKind::kInts},
                                  {"class_treeids", AttrKind::kInts},
                                  {"class_weights", AttrKind::kFloats},
                                  {"class_weights_as_tensor", AttrKind::kTensor},
                                  {"classlabels_int64s", AttrKind::kInts},
                                  {"classlabels_strings", AttrKind::kStrings}});
  d.infer = [](InferContext& context) {
    infer_classifier(context, "classlabels_int64s", "classlabels_strings");
  };
  return d;
}

}  // namespace planish::ops
