#include "reference/sequence.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_sequence_empty(const Call& call) {
  (void)call;
  return single_sequence({});
}

}  // namespace

PLANISH_REFERENCE(sequence_empty) { return {"", "SequenceEmpty", &eval_sequence_empty}; }

}  // namespace planish::reference
