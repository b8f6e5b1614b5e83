#include "ops/recurrent.h"

namespace planish::ops {

PLANISH_OPERATOR(lstm) {
  OpDef d = recurrent_operator("LSTM");
  d.inputs.push_back({"initial_c", Arity::kOptional, kAnyFloat, "T"});
  d.inputs.push_back({"P", Arity::kOptional, kAnyFloat, "T"});
  d.outputs.push_back({"Y_c", Arity::kOptional, kAnyFloat, "T"});
  d.attributes.push_back({"input_forget", AttrKind::kInt});
  d.infer = [](InferContext& context) { infer_recurrent(context, 4); };
  return d;
}

}  // namespace planish::ops
