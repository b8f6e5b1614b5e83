#include "reference/sequence.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_sequence_insert(const Call& call) {
  Sequence out = sequence_input(call, 0);
  const auto bound = static_cast<int64_t>(out.size());
  const int64_t at = call.has(2) ? sequence_position(call, 2, bound, true) : bound;
  const Tensor& t = call.tensor(1);
  if (!out.empty() && out[0].is_tensor() && out[0].tensor().dtype() != t.dtype())
    fail(ErrorCode::kInvalidInput, "SequenceInsert: a {} does not belong among {}",
         to_string(t.dtype()), to_string(out[0].tensor().dtype()));
  out.insert(out.begin() + at, Value(t));
  return single_sequence(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(sequence_insert) { return {"", "SequenceInsert", &eval_sequence_insert}; }

}  // namespace planish::reference
