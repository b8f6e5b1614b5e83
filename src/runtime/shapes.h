// Concrete input shapes and seeded inputs for a plan whose dims may be open.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/value.h"
#include "plan/plan.h"

namespace planish::runtime {

// What the user asked for: --shapes=name:1x3x224x224 and --dim N=8.
struct ShapeRequest {
  std::map<std::string, Dims, std::less<>> shapes;   // by input name
  std::map<std::string, int64_t, std::less<>> dims;  // by symbol
};

struct Shapes {
  std::vector<Dims> inputs;            // one per binding (empty for non-tensors)
  std::vector<std::string> defaulted;  // symbols that nothing set and that became 1
};

// Settles every open dim: by --dim, by a given shape, else 1. Throws kUsage naming unknown inputs
// or symbols (with those that exist), ranks that differ, and dims that contradict each other.
Shapes resolve_shapes(std::span<const plan::Binding> inputs, const ShapeRequest& request);

// Floats uniform in [-1, 1), integers in [0, bound) (or [0, 10) when no bound is known), bools,
// short strings; optionals empty, sequences of one tensor. The same for the same seed everywhere.
std::vector<Value> random_inputs(std::span<const plan::Binding> inputs,
                                 const Shapes& shapes,
                                 uint64_t seed);

}  // namespace planish::runtime
