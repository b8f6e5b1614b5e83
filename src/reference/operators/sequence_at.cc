#include "reference/sequence.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_sequence_at(const Call& call) {
  const Sequence& s = sequence_input(call, 0);
  const auto bound = static_cast<int64_t>(s.size());
  return std::vector<Value>(1, s[static_cast<size_t>(sequence_position(call, 1, bound, false))]);
}

}  // namespace

PLANISH_REFERENCE(sequence_at) { return {"", "SequenceAt", &eval_sequence_at}; }

}  // namespace planish::reference
