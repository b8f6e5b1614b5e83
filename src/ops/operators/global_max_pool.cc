#include "ops/window.h"

namespace planish::ops {

PLANISH_OPERATOR(global_max_pool) {
  OpDef d;
  d.name = "GlobalMaxPool";
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T"}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T"}};
  d.infer = &infer_global_pool;
  d.cost = &global_pooling_cost;
  return d;
}

}  // namespace planish::ops
