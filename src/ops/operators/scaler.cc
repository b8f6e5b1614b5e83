#include "ops/ml_rows.h"

namespace planish::ops {

PLANISH_OPERATOR(scaler) {
  OpDef d;
  d.domain = kMlDomain;
  d.name = "Scaler";
  d.inputs = {{"X", Arity::kRequired, kFeatures}};
  d.outputs = {{"Y", Arity::kRequired, type_bit(DType::kFloat32)}};
  d.attributes = {{"offset", AttrKind::kFloats}, {"scale", AttrKind::kFloats}};
  d.infer = &infer_float_rows;
  return d;
}

}  // namespace planish::ops
