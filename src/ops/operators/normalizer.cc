#include "ops/ml_rows.h"

namespace planish::ops {

PLANISH_OPERATOR(normalizer) {
  OpDef d;
  d.domain = kMlDomain;
  d.name = "Normalizer";
  d.inputs = {{"X", Arity::kRequired, kFeatures}};
  d.outputs = {{"Y", Arity::kRequired, type_bit(DType::kFloat32)}};
  d.attributes = {{"norm", AttrKind::kString}};
  d.infer = &infer_float_rows;
  return d;
}

}  // namespace planish::ops
