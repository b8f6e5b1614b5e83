// Placing slots of known size and lifetime into one block of memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace planish::runtime {

struct ArenaItem {
  int64_t bytes = 0;
  uint32_t first = 0, last = 0;  // steps, both inclusive
};

struct ArenaPlan {
  std::vector<int64_t> offsets;  // one per item, multiples of 64
  int64_t bytes = 0;             // of the whole block
};

// Greedy by size: the largest first, each at the lowest offset where nothing that lives at the same
// time lies. Deterministic. Throws kOutOfMemory when the sum of sizes overflows.
ArenaPlan place(std::span<const ArenaItem> items);

}  // namespace planish::runtime
