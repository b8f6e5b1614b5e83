#include "ops/normalization.h"
#include "ops/shape_helpers.h"

namespace planish::ops {

PLANISH_OPERATOR(mean_variance_normalization) {
  OpDef d;
  d.name = "MeanVarianceNormalization";
  d.since = 9;
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T"}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T"}};
  d.attributes = {{"axes", AttrKind::kInts}};
  d.infer = &infer_same;
  d.cost = &normalization_cost;
  return d;
}

}  // namespace planish::ops
