#include "reference/sequence.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_optional(const Call& call) {
  // An optional is its content, or an empty value.
  if (!call.has(0)) return std::vector<Value>(1);
  return std::vector<Value>(1, *call.inputs[0]);
}

}  // namespace

PLANISH_REFERENCE(optional) { return {"", "Optional", &eval_optional}; }

}  // namespace planish::reference
