#pragma once

#include "kernels/probe/probe.h"
#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace planish::kernels::PLANISH_SIMD {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Twelve independent chains: more than latency times throughput of any core we know.
double multiply_add(long rounds, float* sink) {
  const D d;
  constexpr int kChains = 12;
  V acc[kChains];
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) acc[i] = hn::Set(d, static_cast<float>(i));
  const V factor = hn::Set(d, 0.999f), term = hn::Set(d, 0.001f);
  for (long r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) acc[i] = hn::MulAdd(acc[i], factor, term);
  }
  V total = acc[0];
#pragma GCC unroll 12
  for (int i = 1; i < kChains; ++i) total = hn::Add(total, acc[i]);
  *sink = hn::GetLane(total);
  return 2.0 * kChains * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

void read(const float* from, long count, float* sink) {
  const D d;
  const long lanes = static_cast<long>(hn::Lanes(d));
  V a = hn::Zero(d), b = a, c = a, e = a;
  for (long i = 0; i + 4 * lanes <= count; i += 4 * lanes) {
    a = hn::Add(a, hn::LoadU(d, from + i));
    b = hn::Add(b, hn::LoadU(d, from + i + lanes));
    c = hn::Add(c, hn::LoadU(d, from + i + 2 * lanes));
    e = hn::Add(e, hn::LoadU(d, from + i + 3 * lanes));
  }
  *sink = hn::GetLane(hn::Add(hn::Add(a, b), hn::Add(c, e)));
}

const char* supports(int) { return nullptr; }

ProbeVariant make_variant(const char* name) {
  return {name, PLANISH_SIMD_ISA, &supports, &multiply_add, &read};
}

}  // namespace
}  // namespace planish::kernels::PLANISH_SIMD
HWY_AFTER_NAMESPACE();
