#pragma once

#include <math.h>  // NOLINT: ::sqrtf; std::sqrt(float) is an inline function

#include "kernels/norm/norm.h"
#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace planish::kernels::PLANISH_SIMD {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

struct SumOp {
  static HWY_INLINE V start(D d) { return hn::Zero(d); }
  static HWY_INLINE V map(V x) { return x; }
  static HWY_INLINE V join(V a, V b) { return hn::Add(a, b); }
};
struct AbsOp : SumOp {
  static HWY_INLINE V map(V x) { return hn::Abs(x); }
};
struct SquareOp : SumOp {
  static HWY_INLINE V map(V x) { return hn::Mul(x, x); }
};
struct MaxOp {
  static HWY_INLINE V start(D d) { return hn::Set(d, -__builtin_inff()); }
  static HWY_INLINE V map(V x) { return x; }
  static HWY_INLINE V join(V a, V b) {
    return hn::IfThenElse(hn::Or(hn::Gt(b, a), hn::IsNaN(b)), b, a);
  }
};
struct MinOp {
  static HWY_INLINE V start(D d) { return hn::Set(d, __builtin_inff()); }
  static HWY_INLINE V map(V x) { return x; }
  static HWY_INLINE V join(V a, V b) {
    return hn::IfThenElse(hn::Or(hn::Lt(b, a), hn::IsNaN(b)), b, a);
  }
};

// The lanes of v joined in order.
template <class Op>
HWY_INLINE float join_lanes(V v) {
  const D d;
  HWY_ALIGN float lane[hn::MaxLanes(D())];
  hn::Store(v, d, lane);
  V total = hn::Set(d, lane[0]);
  for (size_t j = 1; j < hn::Lanes(d); ++j) total = Op::join(total, hn::Set(d, lane[j]));
  return hn::GetLane(total);
}

template <class Op>
float reduce_row(const float* x, int64_t n) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V a0 = Op::start(d), a1 = a0, a2 = a0, a3 = a0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a0 = Op::join(a0, Op::map(hn::LoadU(d, x + i)));
    a1 = Op::join(a1, Op::map(hn::LoadU(d, x + i + lanes)));
    a2 = Op::join(a2, Op::map(hn::LoadU(d, x + i + 2 * lanes)));
    a3 = Op::join(a3, Op::map(hn::LoadU(d, x + i + 3 * lanes)));
  }
  for (; i + lanes <= n; i += lanes) a0 = Op::join(a0, Op::map(hn::LoadU(d, x + i)));
  float total = join_lanes<Op>(Op::join(Op::join(a0, a1), Op::join(a2, a3)));
  for (; i < n; ++i) total = hn::GetLane(Op::join(hn::Set(d, total), Op::map(hn::Set(d, x[i]))));
  return total;
}

// `width` <= one vector neighbouring columns, n rows `stride` apart.
template <class Op>
void reduce_columns(const float* x, float* y, int64_t n, int64_t stride, int64_t width) {
  const D d;
  if (width == static_cast<int64_t>(hn::Lanes(d))) {
    V acc = Op::start(d);
    for (int64_t i = 0; i < n; ++i) acc = Op::join(acc, Op::map(hn::LoadU(d, x + i * stride)));
    hn::StoreU(acc, d, y);
    return;
  }
  HWY_ALIGN float buffer[hn::MaxLanes(D())] = {};
  V acc = Op::start(d);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < width; ++j) buffer[j] = x[i * stride + j];
    acc = Op::join(acc, Op::map(hn::Load(d, buffer)));
  }
  hn::Store(acc, d, buffer);
  for (int64_t j = 0; j < width; ++j) y[j] = buffer[j];
}

template <class Op>
void reduce_all(const ReduceArgs& a, int worker, int workers) {
  if (a.inner == 1) {
    const Range range = share(a.outer, 16, worker, workers);
    for (int64_t r = range.begin; r < range.end; ++r)
      a.y[r] = reduce_row<Op>(a.x + r * a.axis, a.axis);
    return;
  }
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  const int64_t groups = (a.inner + lanes - 1) / lanes;
  const Range range = share(a.outer * groups, 1, worker, workers);
  for (int64_t u = range.begin; u < range.end; ++u) {
    const int64_t o = u / groups, c = u % groups * lanes;
    reduce_columns<Op>(a.x + o * a.axis * a.inner + c, a.y + o * a.inner + c, a.axis, a.inner,
                       a.inner - c < lanes ? a.inner - c : lanes);
  }
}

Status reduce(const ReduceArgs* args, int worker, int workers) {
  const ReduceArgs& a = *args;
  if (a.outer == 0 || a.inner == 0) return Status::kOk;
  switch (a.op) {
    case ReduceOp::kSum:
    case ReduceOp::kMean:
      reduce_all<SumOp>(a, worker, workers);
      break;
    case ReduceOp::kMax:
      reduce_all<MaxOp>(a, worker, workers);
      break;
    case ReduceOp::kMin:
      reduce_all<MinOp>(a, worker, workers);
      break;
    case ReduceOp::kSumSquare:
    case ReduceOp::kL2:
      reduce_all<SquareOp>(a, worker, workers);
      break;
    case ReduceOp::kL1:
      reduce_all<AbsOp>(a, worker, workers);
      break;
    case ReduceOp::kCount:
      break;
  }
  if (a.op != ReduceOp::kMean && a.op != ReduceOp::kL2) return Status::kOk;
  // The same share as above, in elements of y.
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  const int64_t groups = (a.inner + lanes - 1) / lanes;
  const Range range = a.inner == 1 ? share(a.outer, 16, worker, workers)
                                   : share(a.outer * groups, 1, worker, workers);
  for (int64_t u = range.begin; u < range.end; ++u) {
    const int64_t o = u / groups, c = u % groups * lanes;
    const int64_t width = a.inner - c < lanes ? a.inner - c : lanes;
    float* y = a.y + o * a.inner + c;
    for (int64_t j = 0; j < width; ++j)
      y[j] = a.op == ReduceOp::kL2 ? ::sqrtf(y[j]) : y[j] / static_cast<float>(a.axis);
  }
  return Status::kOk;
}

// y = (x - shift) * scale + bias over n elements.
HWY_INLINE void scale_shift(
    const float* x, float* y, int64_t n, float shift, float scale, float bias) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const V vs = hn::Set(d, shift), vm = hn::Set(d, scale), vb = hn::Set(d, bias);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::MulAdd(hn::Sub(hn::LoadU(d, x + i), vs), vm, vb), d, y + i);
  for (; i < n; ++i) y[i] = hn::GetLane(hn::MulAdd(hn::Sub(hn::Set(d, x[i]), vs), vm, vb));
}

Status batch_norm(const BatchNormArgs* args, int worker, int workers) {
  const BatchNormArgs& a = *args;
  // By elements where planes are few: a whole number of cache lines each.
  const int64_t total = a.n * a.channels * a.inner;
  const Range range = share(total, 16, worker, workers);
  for (int64_t at = range.begin; at < range.end;) {
    const int64_t plane = at / a.inner, c = plane % a.channels;
    const int64_t end = (plane + 1) * a.inner < range.end ? (plane + 1) * a.inner : range.end;
    const float scale = a.scale[c] / ::sqrtf(a.variance[c] + a.epsilon);
    scale_shift(a.x + at, a.y + at, end - at, a.mean[c], scale, a.bias[c]);
    at = end;
  }
  return Status::kOk;
}

// y = (x - mean) * inverse * scale + bias with one scale and bias a column.
HWY_INLINE void scale_columns(
    const LayerNormArgs& a, const float* x, float* y, float mean, float inverse) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const V vm = hn::Set(d, mean), vi = hn::Set(d, inverse);
  int64_t i = 0;
  for (; i + lanes <= a.width; i += lanes) {
    const V n = hn::Mul(hn::Sub(hn::LoadU(d, x + i), vm), vi);
    const V bias = a.bias != nullptr ? hn::LoadU(d, a.bias + i) : hn::Zero(d);
    hn::StoreU(hn::MulAdd(n, hn::LoadU(d, a.scale + i), bias), d, y + i);
  }
  for (; i < a.width; ++i) {
    y[i] = (x[i] - mean) * inverse * a.scale[i] + (a.bias != nullptr ? a.bias[i] : 0.0f);
  }
}

Status layer_norm(const LayerNormArgs* args, int worker, int workers) {
  const LayerNormArgs& a = *args;
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (a.width == 0) return Status::kOk;
  const Range range = share(a.rows, 1, worker, workers);
  for (int64_t r = range.begin; r < range.end; ++r) {
    const float* x = a.x + r * a.width;
    float* y = a.y + r * a.width;
    const float mean = reduce_row<SumOp>(x, a.width) / static_cast<float>(a.width);
    const V vm = hn::Set(d, mean);
    V s0 = hn::Zero(d), s1 = hn::Zero(d);
    int64_t i = 0;
    for (; i + 2 * lanes <= a.width; i += 2 * lanes) {
      const V u = hn::Sub(hn::LoadU(d, x + i), vm), v = hn::Sub(hn::LoadU(d, x + i + lanes), vm);
      s0 = hn::MulAdd(u, u, s0);
      s1 = hn::MulAdd(v, v, s1);
    }
    float total = join_lanes<SumOp>(hn::Add(s0, s1));
    for (; i < a.width; ++i) total += (x[i] - mean) * (x[i] - mean);
    const float inverse = 1.0f / ::sqrtf(total / static_cast<float>(a.width) + a.epsilon);
    if (a.channels > 0) {
      const int64_t c = r % a.channels;
      scale_shift(x, y, a.width, mean, inverse * a.scale[c], a.bias != nullptr ? a.bias[c] : 0.0f);
    } else {
      scale_columns(a, x, y, mean, inverse);
    }
    if (a.mean != nullptr) a.mean[r] = mean;
    if (a.inverse_std != nullptr) a.inverse_std[r] = inverse;
  }
  return Status::kOk;
}

const char* supports(int) { return nullptr; }

NormVariant make_variant(const char* name) {
  return {name, PLANISH_SIMD_ISA, &supports, &reduce, &batch_norm, &layer_norm};
}

}  // namespace
}  // namespace planish::kernels::PLANISH_SIMD
HWY_AFTER_NAMESPACE();
