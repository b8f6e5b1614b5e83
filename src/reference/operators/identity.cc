#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_identity(const Call& call) {
  // Of tensors, sequences and optionals alike.
  if (!call.has(0)) fail(ErrorCode::kInvalidModel, "Identity needs its input");
  return std::vector<Value>(1, *call.inputs[0]);
}

}  // namespace

PLANISH_REFERENCE(identity) { return {"", "Identity", &eval_identity}; }

}  // namespace planish::reference
