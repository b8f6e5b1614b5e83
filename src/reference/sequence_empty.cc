#include "reference/sequence.h"

namespace planish::reference {

namespace {

std::vector<Value> eval(const Call& call) {
  (void)call;
  return single_sequence({});
}

}  // namespace

PLANISH_REFERENCE(sequence_empty) { return {"", "SequenceEmpty", &eval}; }

}  // namespace planish::reference
