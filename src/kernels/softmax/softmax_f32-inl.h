// y = exp(x - max) / sum exp(x - max); the logarithm of it is (x - max) - log(sum). A row that is
// all -infinity gives NaN, as in the definition. Sums run over vector lanes first, so their order
// depends on the instruction set and the axis's length only.
#pragma once

#include <math.h>  // NOLINT: ::logf; std::log is an inline template

#include "kernels/simd_math-inl.h"
#include "kernels/softmax/softmax.h"

HWY_BEFORE_NAMESPACE();
namespace planish::kernels::PLANISH_SIMD {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

HWY_INLINE V larger(V a, V b) { return hn::IfThenElse(hn::Or(hn::Gt(b, a), hn::IsNaN(b)), b, a); }

// Axis innermost: rows of n.
void row(const float* x, float* y, int64_t n, bool log) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float tail[hn::MaxLanes(D())];
  const int64_t whole = n / lanes * lanes;
  // The last, partial vector is filled up with -infinity, which changes neither maximum nor sum.
  const float kMinus = -__builtin_inff();
  for (int64_t j = 0; j < lanes; ++j) tail[j] = whole + j < n ? x[whole + j] : kMinus;
  V top = hn::Load(d, tail);
  for (int64_t i = 0; i < whole; i += lanes) top = larger(top, hn::LoadU(d, x + i));
  HWY_ALIGN float lane[hn::MaxLanes(D())];
  hn::Store(top, d, lane);
  float high = lane[0];
  for (int64_t j = 1; j < lanes; ++j) high = lane[j] > high || lane[j] != lane[j] ? lane[j] : high;
  const V shift = hn::Set(d, high);
  V sum = hn::Zero(d);
  if (log) {
    for (int64_t i = 0; i < whole; i += lanes)
      sum = hn::Add(sum, simd_exp(d, hn::Sub(hn::LoadU(d, x + i), shift)));
  } else {
    for (int64_t i = 0; i < whole; i += lanes) {
      const V e = simd_exp(d, hn::Sub(hn::LoadU(d, x + i), shift));
      hn::StoreU(e, d, y + i);
      sum = hn::Add(sum, e);
    }
  }
  const V last = hn::Sub(hn::Load(d, tail), shift);
  const V last_exp = simd_exp(d, last);
  if (whole < n) {
    // Lanes beyond the end are exp(-infinity) = 0 unless the maximum itself is infinite or NaN, and
    // then the sum is NaN anyway.
    sum = hn::Add(sum, last_exp);
  }
  hn::Store(sum, d, lane);
  float total = 0;
  for (int64_t j = 0; j < lanes; ++j) total += lane[j];
  if (log) {
    const V offset = hn::Set(d, ::logf(total));
    for (int64_t i = 0; i < whole; i += lanes)
      hn::StoreU(hn::Sub(hn::Sub(hn::LoadU(d, x + i), shift), offset), d, y + i);
    hn::Store(hn::Sub(last, offset), d, tail);
  } else {
    const V scale = hn::Set(d, 1.0f / total);
    for (int64_t i = 0; i < whole; i += lanes)
      hn::StoreU(hn::Mul(hn::LoadU(d, y + i), scale), d, y + i);
    hn::Store(hn::Mul(last_exp, scale), d, tail);
  }
  for (int64_t i = whole; i < n; ++i) y[i] = tail[i - whole];
}

// Axis outside: `width` neighbouring columns at once, at most one vector.
void columns(const float* x, float* y, int64_t n, int64_t stride, int64_t width, bool log) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float buffer[hn::MaxLanes(D())] = {};
  auto load = [&](const float* from) HWY_ATTR {
    if (width == lanes) return hn::LoadU(d, from);
    for (int64_t j = 0; j < width; ++j) buffer[j] = from[j];
    return hn::Load(d, buffer);
  };
  auto store = [&](V v, float* to) HWY_ATTR {
    if (width == lanes) return hn::StoreU(v, d, to);
    HWY_ALIGN float out[hn::MaxLanes(D())];
    hn::Store(v, d, out);
    for (int64_t j = 0; j < width; ++j) to[j] = out[j];
  };
  V high = load(x);
  for (int64_t i = 1; i < n; ++i) high = larger(high, load(x + i * stride));
  V sum = hn::Zero(d);
  for (int64_t i = 0; i < n; ++i) {
    const V e = simd_exp(d, hn::Sub(load(x + i * stride), high));
    if (!log) store(e, y + i * stride);
    sum = hn::Add(sum, e);
  }
  if (log) {
    HWY_ALIGN float total[hn::MaxLanes(D())];
    hn::Store(sum, d, total);
    for (int64_t j = 0; j < lanes; ++j) total[j] = ::logf(total[j]);
    const V offset = hn::Load(d, total);
    for (int64_t i = 0; i < n; ++i)
      store(hn::Sub(hn::Sub(load(x + i * stride), high), offset), y + i * stride);
  } else {
    const V scale = hn::Div(hn::Set(d, 1.0f), sum);
    for (int64_t i = 0; i < n; ++i) store(hn::Mul(load(y + i * stride), scale), y + i * stride);
  }
}

Status run(const SoftmaxArgs* args, int worker, int workers) {
  const SoftmaxProblem& p = args->problem;
  if (p.axis == 0 || p.inner == 0) return Status::kOk;
  if (p.inner == 1) {
    const Range range = share(p.outer, 1, worker, workers);
    for (int64_t r = range.begin; r < range.end; ++r)
      row(args->x + r * p.axis, args->y + r * p.axis, p.axis, p.log);
    return Status::kOk;
  }
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  const int64_t groups = (p.inner + lanes - 1) / lanes;
  const Range range = share(p.outer * groups, 1, worker, workers);
  for (int64_t u = range.begin; u < range.end; ++u) {
    const int64_t c = u % groups * lanes, at = u / groups * p.axis * p.inner + c;
    columns(args->x + at, args->y + at, p.axis, p.inner, p.inner - c < lanes ? p.inner - c : lanes,
            p.log);
  }
  return Status::kOk;
}

const char* supports(const SoftmaxProblem&) { return nullptr; }

SoftmaxVariant make_variant(const char* name) { return {name, PLANISH_SIMD_ISA, &supports, &run}; }

}  // namespace
}  // namespace planish::kernels::PLANISH_SIMD
HWY_AFTER_NAMESPACE();
