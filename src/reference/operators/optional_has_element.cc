#include "reference/sequence.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_optional_has_element(const Call& call) {
  return single(Tensor::scalar(call.has(0) && !call.inputs[0]->empty()));
}

}  // namespace

PLANISH_REFERENCE(optional_has_element) {
  return {"", "OptionalHasElement", &eval_optional_has_element};
}

}  // namespace planish::reference
