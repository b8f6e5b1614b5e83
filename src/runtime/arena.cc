#include "runtime/arena.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace planish::runtime {

ArenaPlan place(std::span<const ArenaItem> items) {
  constexpr int64_t kAlign = 64;
  constexpr int64_t kLimit = int64_t{1} << 60;
  std::vector<uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order,
                           [&](uint32_t a, uint32_t b) { return items[a].bytes > items[b].bytes; });

  ArenaPlan plan;
  plan.offsets.assign(items.size(), 0);
  std::vector<uint32_t> placed;  // by offset
  for (const uint32_t i : order) {
    const ArenaItem& item = items[i];
    if (item.bytes > kLimit)
      fail(ErrorCode::kOutOfMemory, "an intermediate value of {} bytes", item.bytes);
    const int64_t size = (item.bytes + kAlign - 1) / kAlign * kAlign;
    if (size == 0) continue;
    int64_t at = 0;
    for (const uint32_t j : placed) {
      const ArenaItem& other = items[j];
      if (other.last < item.first || item.last < other.first) continue;
      if (at + size <= plan.offsets[j]) break;
      at = std::max(at, plan.offsets[j] + (other.bytes + kAlign - 1) / kAlign * kAlign);
    }
    if (at > kLimit) fail(ErrorCode::kOutOfMemory, "the intermediate values need over 2^60 bytes");
    plan.offsets[i] = at;
    plan.bytes = std::max(plan.bytes, at + size);
    placed.insert(
        std::ranges::upper_bound(placed, at, {}, [&](uint32_t j) { return plan.offsets[j]; }), i);
  }
  return plan;
}

}  // namespace planish::runtime
