#include "ops/shape_helpers.h"
#include "ops/window.h"

namespace planish::ops {
namespace {

void infer_average_pool(InferContext& context) {
  context.set_output(0, tensor_type(context.input_dtype(0), pooling_shape(context)));
}

}  // namespace

PLANISH_OPERATOR(average_pool) {
  OpDef d;
  d.name = "AveragePool";
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T"}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T"}};
  d.attributes =
      window_attributes({{"ceil_mode", AttrKind::kInt}, {"count_include_pad", AttrKind::kInt}});
  d.infer = &infer_average_pool;
  d.cost = &pooling_cost;
  return d;
}

}  // namespace planish::ops
