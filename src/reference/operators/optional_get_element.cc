#include "reference/sequence.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_optional_get_element(const Call& call) {
  if (!call.has(0) || call.inputs[0]->empty())
    fail(ErrorCode::kData, "OptionalGetElement: the optional is empty");
  return std::vector<Value>(1, *call.inputs[0]);
}

}  // namespace

PLANISH_REFERENCE(optional_get_element) {
  return {"", "OptionalGetElement", &eval_optional_get_element};
}

}  // namespace planish::reference
