#include "reference/sequence.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_sequence_construct(const Call& call) {
  Sequence out;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor& t = call.tensor(i);
    if (t.dtype() != call.tensor(0).dtype())
      fail(ErrorCode::kInvalidInput, "SequenceConstruct: input {} is {}, the first is {}", i,
           to_string(t.dtype()), to_string(call.tensor(0).dtype()));
    out.emplace_back(t);
  }
  return single_sequence(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(sequence_construct) {
  return {"", "SequenceConstruct", &eval_sequence_construct};
}

}  // namespace planish::reference
