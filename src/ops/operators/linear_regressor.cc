#include "ops/ml_rows.h"

namespace planish::ops {

PLANISH_OPERATOR(linear_regressor) {
  OpDef d;
  d.domain = kMlDomain;
  d.name = "LinearRegressor";
  d.inputs = {{"X", Arity::kRequired, kFeatures}};
  d.outputs = {{"Y", Arity::kRequired, type_bit(DType::kFloat32)}};
  d.attributes = {{"coefficients", AttrKind::kFloats},
                  {"intercepts", AttrKind::kFloats},
                  {"post_transform", AttrKind::kString},
                  {"targets", AttrKind::kInt}};
  d.infer = [](InferContext& context) {
    infer_regressor(context, context.attributes().get_int("targets", 1), DType::kFloat32);
  };
  return d;
}

}  // namespace planish::ops
