#include "ops/ml_rows.h"
#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_array_feature_extractor(InferContext& context) {
  const Shape *x = context.input_shape(0), *picks = context.input_shape(1);
  std::optional<Shape> shape;
  if (x) {
    if (x->empty()) context.fail("the input is a scalar");
    shape = x->size() == 1 ? Shape{1, 1} : *x;
    shape->back() = picks ? product(*picks) : context.fresh_dim();
  }
  context.set_output(0, tensor_type(context.input_dtype(0), shape));
}

}  // namespace

PLANISH_OPERATOR(array_feature_extractor) {
  const TypeSet types = kFeatures | type_bit(DType::kString);
  OpDef d;
  d.domain = kMlDomain;
  d.name = "ArrayFeatureExtractor";
  d.inputs = {{"X", Arity::kRequired, types, "T"},
              {"Y", Arity::kRequired, type_bit(DType::kInt64)}};
  d.outputs = {{"Z", Arity::kRequired, types, "T"}};
  d.infer = &infer_array_feature_extractor;
  return d;
}

}  // namespace planish::ops
