// Shared shape of all kernels: plain functions on raw buffers.
//
//   Status fn(const Args* args, int worker, int workers);
//
// Every worker calls the same function on the same Args and does its static share (rows, channels),
// so that results do not depend on the number of workers. Kernels know no graph, allocate nothing
// and report only data errors.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace planish::kernels {

// [begin, end) of worker's share of `count` items in units of `grain` (shares are multiples of it).
struct Range {
  int64_t begin, end;
};
constexpr Range share(int64_t count, int64_t grain, int worker, int workers) {
  const int64_t units = (count + grain - 1) / grain;
  const int64_t begin = units * worker / workers * grain;
  const int64_t end = units * (worker + 1) / workers * grain;
  return {begin < count ? begin : count, end < count ? end : count};
}

enum class Isa : uint8_t { kPortable, kAvx2 };

}  // namespace planish::kernels
