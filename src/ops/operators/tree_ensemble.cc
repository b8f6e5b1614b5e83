#include "ops/ml_rows.h"

namespace planish::ops {

PLANISH_OPERATOR(tree_ensemble) {
  const TypeSet floats =
      type_bit(DType::kFloat32) | type_bit(DType::kFloat64) | type_bit(DType::kFloat16);
  OpDef d;
  d.domain = kMlDomain;
  d.name = "TreeEnsemble";
  d.since = 5;
  d.inputs = {{"X", Arity::kRequired, floats, "T"}};
  d.outputs = {{"Y", Arity::kRequired, floats, "T"}};
  d.attributes = {{"aggregate_function", AttrKind::kInt},
                  {"leaf_targetids", AttrKind::kInts, true},
                  {"leaf_weights", AttrKind::kTensor, true},
                  {"membership_values", AttrKind::kTensor},
                  {"n_targets", AttrKind::kInt},
                  {"nodes_falseleafs", AttrKind::kInts, true},
                  {"nodes_falsenodeids", AttrKind::kInts, true},
                  {"nodes_featureids", AttrKind::kInts, true},
                  {"nodes_hitrates", AttrKind::kTensor},
                  {"nodes_missing_value_tracks_true", AttrKind::kInts},
                  {"nodes_modes", AttrKind::kTensor, true},
                  {"nodes_splits", AttrKind::kTensor, true},
                  {"nodes_trueleafs", AttrKind::kInts, true},
                  {"nodes_truenodeids", AttrKind::kInts, true},
                  {"post_transform", AttrKind::kInt},
                  {"tree_roots", AttrKind::kInts, true}};
  d.infer = [](InferContext& context) {
    infer_regressor(context, context.attributes().get_int("n_targets", 1), context.input_dtype(0));
  };
  return d;
}

}  // namespace planish::ops
