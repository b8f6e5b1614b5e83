#include "ops/normalization.h"
#include "ops/shape_helpers.h"

namespace planish::ops {

PLANISH_OPERATOR(lp_normalization) {
  OpDef d;
  d.name = "LpNormalization";
  d.inputs = {{"input", Arity::kRequired, kAnyFloat, "T"}};
  d.outputs = {{"output", Arity::kRequired, kAnyFloat, "T"}};
  d.attributes = {{"axis", AttrKind::kInt}, {"p", AttrKind::kInt}};
  d.infer = &infer_same;
  d.cost = &normalization_cost;
  return d;
}

}  // namespace planish::ops
