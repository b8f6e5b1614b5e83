// Access to sequences and positions in them, for the Sequence* operators.
#pragma once

#include "reference/movement.h"

namespace planish::reference {

inline const Sequence& sequence_input(const Call& call, size_t i) {
  if (!call.has(i)) fail(ErrorCode::kInvalidModel, "{} needs its input {}", call.op, i);
  return call.inputs[i]->sequence();
}

// The position in input `i`, counted from the back when negative; kData outside [-bound, bound].
// `end` allows the place after the last element too.
inline int64_t sequence_position(const Call& call, size_t i, int64_t bound, bool end) {
  const int64_t at = one_integer(call, i);
  if (at < -bound || at > bound || (!end && at == bound))
    fail(ErrorCode::kData, "{}: position {} in a sequence of {}", call.op, at, bound);
  return at < 0 ? at + bound : at;
}

inline std::vector<Value> single_sequence(Sequence s) {
  std::vector<Value> out;
  out.emplace_back(std::move(s));
  return out;
}

}  // namespace planish::reference
