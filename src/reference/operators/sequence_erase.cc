#include "reference/sequence.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_sequence_erase(const Call& call) {
  Sequence out = sequence_input(call, 0);
  const auto bound = static_cast<int64_t>(out.size());
  if (bound == 0) fail(ErrorCode::kData, "SequenceErase: the sequence is empty");
  out.erase(out.begin() + (call.has(1) ? sequence_position(call, 1, bound, false) : bound - 1));
  return single_sequence(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(sequence_erase) { return {"", "SequenceErase", &eval_sequence_erase}; }

}  // namespace planish::reference
