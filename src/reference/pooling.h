// The frame of AveragePool, MaxPool and LpPool: where windows lie, and the loop over them.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/reference.h"
#include "reference/window.h"

namespace planish::reference {

struct Pooling {
  Window window;
  int64_t planes = 0;  // N * C
  Dims output_dims;
};

// From the node's attributes and x [N, C, spatial...].
Pooling read_pooling(const Call& call, const Dims& x);

// Calls body(position, at, offsets) for every output position: its row-major number, its index per
// axis, and the offsets within an input plane of its cells (padding left out). In parallel.
template <class Body>
void for_windows(const Call& call, const Window& window, Body&& body) {
  call.parallel_for(window.output_size(), [&](int64_t begin, int64_t end) {
    Dims at(window.rank());
    std::vector<int64_t> offsets;
    unravel(begin, window.output, at);
    for (int64_t o = begin; o < end; ++o, next_index(at, window.output)) {
      window_offsets(window, at, offsets);
      body(o, at, offsets);
    }
  });
}

// result [N, C, 1, ...] of x [N, C, spatial...]: f(cells of one plane, their count).
std::vector<Value> pool_planes(const Call& call, double (*f)(const Call&, const double*, int64_t));

}  // namespace planish::reference
