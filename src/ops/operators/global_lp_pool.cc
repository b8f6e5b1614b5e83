#include "ops/window.h"

namespace planish::ops {

PLANISH_OPERATOR(global_lp_pool) {
  OpDef d;
  d.name = "GlobalLpPool";
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T"}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T"}};
  d.attributes = {{"p", AttrKind::kInt}};
  d.upgrade = &upgrade_norm_order;
  d.infer = &infer_global_pool;
  d.cost = &global_pooling_cost;
  return d;
}

}  // namespace planish::ops
