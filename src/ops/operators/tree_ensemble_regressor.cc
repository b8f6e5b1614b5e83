#include "ops/ml_rows.h"
#include "ops/tree_nodes.h"

namespace planish::ops {

PLANISH_OPERATOR(tree_ensemble_regressor) {
  OpDef d;
  d.domain = kMlDomain;
  d.name = "TreeEnsembleRegressor";
  d.inputs = {{"X", Arity::kRequired, kFeatures}};
  d.outputs = {{"Y", Arity::kRequired, type_bit(DType::kFloat32)}};
  d.attributes = tree_attributes({{"aggregate_function", AttrKind::kString},
                                  {"n_targets", AttrKind::kInt},
                                  {"target_ids", AttrKind::kInts},
                                  {"target_nodeids", AttrKind::kInts},
                                  {"target_treeids", AttrKind::kInts},
                                  {"target_weights", AttrKind::kFloats},
                                  {"target_weights_as_tensor", AttrKind::kTensor}});
  d.infer = [](InferContext& context) {
    infer_regressor(context, context.attributes().get_int("n_targets", 1), DType::kFloat32);
  };
  return d;
}

}  // namespace planish::ops
