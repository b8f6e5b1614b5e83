// Types of values that come from one of several runs of a block: branches of an If, iterations of a
// Loop or Scan.
#pragma once

#include <vector>

#include "ops/op.h"

namespace planish::ops {

// A type that covers both: dims that differ become fresh, ranks that differ leave the shape
// unknown. Fails when kinds or element types differ; `what` names the value.
Type cover(InferContext& context, const Type& a, const Type& b, std::string_view what);

// Values that a body takes and gives back, over any number of iterations.
struct Carried {
  std::vector<Type> inside;   // what the body sees at the start of any iteration
  std::vector<Type> outside;  // after the last one
  std::vector<Type> results;  // all outputs of the body, inferred with `inside`
};

// Infers block 0 with `before` + carried + `after` as arguments until the carried types no longer
// change; the body's outputs `first`.. are the carried ones. A dim that an iteration changes
// becomes unknown.
Carried infer_carried(InferContext& context,
                      const std::vector<Type>& before,
                      const std::vector<Type>& carried,
                      const std::vector<Type>& after,
                      size_t first);

}  // namespace planish::ops
