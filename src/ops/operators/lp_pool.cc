#include "ops/shape_helpers.h"
#include "ops/window.h"

namespace planish::ops {
namespace {

void infer_lp_pool(InferContext& context) {
  context.set_output(0, tensor_type(context.input_dtype(0), pooling_shape(context)));
}

}  // namespace

PLANISH_OPERATOR(lp_pool) {
  OpDef d;
  d.name = "LpPool";
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T"}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T"}};
  d.attributes = window_attributes({{"ceil_mode", AttrKind::kInt}, {"p", AttrKind::kInt}});
  d.infer = &infer_lp_pool;
  d.upgrade = &upgrade_norm_order;
  d.cost = &pooling_cost;
  return d;
}

}  // namespace planish::ops
