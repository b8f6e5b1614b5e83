// Einsum's equation, parsed for operands of known rank. Used by evaluation and by shape inference.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace planish::reference {

struct EinsumEquation {
  // One label per axis: a letter's code; axes of an ellipsis are 256, 257, ... counted from the
  // last.
  std::vector<std::vector<int>> terms;
  std::vector<int> result;
};

// Throws kInvalidModel, naming the mistake.
EinsumEquation parse_einsum(std::string_view equation, const std::vector<int64_t>& ranks);

}  // namespace planish::reference
