// The machine's own limits, measured: what kernels are judged against.
#pragma once

#include "kernels/variants.h"

namespace planish::kernels {

struct ProbeResult {
  double fp32_gflops = 0;  // multiply-adds of float32 from registers, both operations counted
  double read_gbs =
      0;  // streaming reads of a buffer far larger than the caches, 10^9 bytes a second
};

// `threads` threads at once (at least 1), about 50 ms for each figure; the sum over the threads.
// The best of several short rounds, so that a busy machine disturbs less. Takes 64 MiB a thread
// meanwhile; throws kOutOfMemory.
ProbeResult probe(int threads);

struct ProbeVariant {
  const char* name;
  Isa isa;
  const char* (*supports)(int);  // always null
  // Does `rounds` rounds and returns the floating-point operations done; `sink` keeps the result
  // alive.
  double (*multiply_add)(long rounds, float* sink);
  // Sums `count` floats (a multiple of 64) into `sink`.
  void (*read)(const float* from, long count, float* sink);
};

std::span<const ProbeVariant> probe_variants();

}  // namespace planish::kernels
