#include "ops/ml_rows.h"

namespace planish::ops {

PLANISH_OPERATOR(binarizer) {
  OpDef d;
  d.domain = kMlDomain;
  d.name = "Binarizer";
  d.inputs = {{"X", Arity::kRequired, kFeatures, "T"}};
  d.outputs = {{"Y", Arity::kRequired, kFeatures, "T"}};
  d.attributes = {{"threshold", AttrKind::kFloat}};
  d.infer = [](InferContext& context) { context.set_output(0, context.input_type(0)); };
  return d;
}

}  // namespace planish::ops
