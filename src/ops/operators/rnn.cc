#include "ops/recurrent.h"

namespace planish::ops {

PLANISH_OPERATOR(rnn) {
  OpDef d = recurrent_operator("RNN");
  d.infer = [](InferContext& context) { infer_recurrent(context, 1); };
  return d;
}

}  // namespace planish::ops
