#include "reference/sequence.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_sequence_length(const Call& call) {
  return single(Tensor::scalar(static_cast<int64_t>(sequence_input(call, 0).size())));
}

}  // namespace

PLANISH_REFERENCE(sequence_length) { return {"", "SequenceLength", &eval_sequence_length}; }

}  // namespace planish::reference
