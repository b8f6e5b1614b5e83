#include "ops/recurrent.h"

namespace planish::ops {

PLANISH_OPERATOR(gru) {
  OpDef d = recurrent_operator("GRU");
  d.attributes.push_back({"linear_before_reset", AttrKind::kInt});
  d.infer = [](InferContext& context) { infer_recurrent(context, 3); };
  return d;
}

}  // namespace planish::ops
