// The elementwise loops, compiled once per instruction set. The last, partial vector goes through
// a small buffer and the same vector code, so that an element's bits do not depend on where in an
// array (or in which worker's share) it stands.
#pragma once

#include <math.h>  // NOLINT: the C functions; std::log and its like are inline templates

#include "kernels/pointwise/pointwise.h"
#include "kernels/simd_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace planish::kernels::PLANISH_SIMD {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

template <class F>
HWY_INLINE void map(const float* x, float* y, int64_t n, F f) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, hn::LoadU(d, x + i)), d, y + i);
  if (i < n) {
    HWY_ALIGN float buffer[hn::MaxLanes(D())] = {};
    for (int64_t j = i; j < n; ++j) buffer[j - i] = x[j];
    hn::Store(f(d, hn::Load(d, buffer)), d, buffer);
    for (int64_t j = i; j < n; ++j) y[j] = buffer[j - i];
  }
}

template <class F>
HWY_INLINE void map2(
    const float* a, int64_t a_step, const float* b, int64_t b_step, float* y, int64_t n, F f) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (n == 0) return;
  int64_t i = 0;
  if (a_step == 1 && b_step == 1) {
    for (; i + lanes <= n; i += lanes)
      hn::StoreU(f(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, y + i);
  } else if (a_step == 1) {
    const V vb = hn::Set(d, b[0]);
    for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, hn::LoadU(d, a + i), vb), d, y + i);
  } else if (b_step == 1) {
    const V va = hn::Set(d, a[0]);
    for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, va, hn::LoadU(d, b + i)), d, y + i);
  } else {
    const V v = f(d, hn::Set(d, a[0]), hn::Set(d, b[0]));
    for (; i + lanes <= n; i += lanes) hn::StoreU(v, d, y + i);
  }
  if (i < n) {
    HWY_ALIGN float ba[hn::MaxLanes(D())] = {};
    HWY_ALIGN float bb[hn::MaxLanes(D())] = {};
    for (int64_t j = i; j < n; ++j) {
      ba[j - i] = a[j * a_step];
      bb[j - i] = b[j * b_step];
    }
    hn::Store(f(d, hn::Load(d, ba), hn::Load(d, bb)), d, ba);
    for (int64_t j = i; j < n; ++j) y[j] = ba[j - i];
  }
}

// One element at a time through the C library: identical in every instruction set.
template <class F>
HWY_INLINE void map_scalar(const float* x, float* y, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) y[i] = f(x[i]);
}

inline float softplus(float x) { return x > 0 ? x + ::log1pf(::expf(-x)) : ::log1pf(::expf(x)); }

HWY_INLINE V clamp01(D d, V x) {
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  x = hn::IfThenElse(hn::Lt(x, zero), zero, x);
  return hn::IfThenElse(hn::Gt(x, one), one, x);
}

void unary(Unary op, float p0, float p1, const float* x, float* y, int64_t n) {
  const D td;
  const V v0 = hn::Set(td, p0), v1 = hn::Set(td, p1);
  switch (op) {
    case Unary::kAffine:
      return map(x, y, n, [=](D, V v) { return hn::MulAdd(v, v0, v1); });
    case Unary::kRelu:
      return map(x, y, n,
                 [](D d, V v) { return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Zero(d), v); });
    case Unary::kLeakyRelu:
      return map(x, y, n, [=](D d, V v) {
        return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Mul(v, v0), v);
      });
    case Unary::kThresholdedRelu:
      return map(x, y, n, [=](D d, V v) {
        return hn::IfThenElse(hn::Or(hn::Gt(v, v0), hn::IsNaN(v)), v, hn::Zero(d));
      });
    case Unary::kClip:
      return map(x, y, n, [=](D, V v) {
        v = hn::IfThenElse(hn::Lt(v, v0), v0, v);
        return hn::IfThenElse(hn::Gt(v, v1), v1, v);
      });
    case Unary::kSigmoid:
      return map(x, y, n, [](D d, V v) { return simd_sigmoid(d, v); });
    case Unary::kHardSigmoid:
      return map(x, y, n, [=](D d, V v) { return clamp01(d, hn::MulAdd(v, v0, v1)); });
    case Unary::kHardSwish:
      return map(x, y, n, [](D d, V v) {
        return hn::Mul(v, clamp01(d, hn::MulAdd(v, hn::Set(d, 1.0f / 6.0f), hn::Set(d, 0.5f))));
      });
    case Unary::kSwish:
      return map(x, y, n, [=](D d, V v) { return hn::Mul(v, simd_sigmoid(d, hn::Mul(v, v0))); });
    case Unary::kTanh:
      return map(x, y, n, [](D d, V v) { return simd_tanh(d, v); });
    case Unary::kExp:
      return map(x, y, n, [](D d, V v) { return simd_exp(d, v); });
    case Unary::kErf:
      return map(x, y, n, [](D d, V v) { return simd_erf(d, v); });
    case Unary::kGelu:
      return map(x, y, n, [](D d, V v) {
        const V e = simd_erf(d, hn::Mul(v, hn::Set(d, 0.70710678118654752f)));
        return hn::Mul(hn::Mul(v, hn::Set(d, 0.5f)), hn::Add(hn::Set(d, 1.0f), e));
      });
    case Unary::kGeluTanh:
      return map(x, y, n, [](D d, V v) {
        const V cube = hn::Mul(hn::Mul(v, v), v);
        const V inner =
            hn::Mul(hn::Set(d, 0.79788456080286536f), hn::MulAdd(cube, hn::Set(d, 0.044715f), v));
        return hn::Mul(hn::Mul(v, hn::Set(d, 0.5f)),
                       hn::Add(hn::Set(d, 1.0f), simd_tanh(d, inner)));
      });
    case Unary::kElu:
      return map(x, y, n, [=](D d, V v) {
        const V e = hn::Mul(v0, hn::Sub(simd_exp(d, v), hn::Set(d, 1.0f)));
        return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), e, v);
      });
    case Unary::kSelu:
      return map(x, y, n, [=](D d, V v) {
        const V e = hn::Mul(v0, hn::Sub(simd_exp(d, v), hn::Set(d, 1.0f)));
        return hn::Mul(v1, hn::IfThenElse(hn::Le(v, hn::Zero(d)), e, v));
      });
    case Unary::kCelu:
      return map(x, y, n, [=](D d, V v) {
        const V e = hn::Mul(v0, hn::Sub(simd_exp(d, hn::Div(v, v0)), hn::Set(d, 1.0f)));
        return hn::IfThenElse(hn::Lt(v, hn::Zero(d)), e, v);
      });
    case Unary::kSoftsign:
      return map(x, y, n,
                 [](D d, V v) { return hn::Div(v, hn::Add(hn::Set(d, 1.0f), hn::Abs(v))); });
    case Unary::kSqrt:
      return map(x, y, n, [](D, V v) { return hn::Sqrt(v); });
    case Unary::kReciprocal:
      return map(x, y, n, [](D d, V v) { return hn::Div(hn::Set(d, 1.0f), v); });
    case Unary::kNeg:
      return map(x, y, n, [](D, V v) { return hn::Neg(v); });
    case Unary::kAbs:
      return map(x, y, n, [](D, V v) { return hn::Abs(v); });
    case Unary::kFloor:
      return map(x, y, n, [](D, V v) { return hn::Floor(v); });
    case Unary::kCeil:
      return map(x, y, n, [](D, V v) { return hn::Ceil(v); });
    case Unary::kRound:
      return map(x, y, n, [](D, V v) { return hn::Round(v); });
    case Unary::kSign:
      return map(x, y, n, [](D d, V v) {
        const V zero = hn::Zero(d);
        const V s = hn::IfThenElse(hn::Lt(v, zero), hn::Set(d, -1.0f), v);
        return hn::IfThenElse(hn::Gt(v, zero), hn::Set(d, 1.0f), s);
      });
    case Unary::kLog:
      return map_scalar(x, y, n, [](float v) { return ::logf(v); });
    case Unary::kSoftplus:
      return map_scalar(x, y, n, [](float v) { return softplus(v); });
    case Unary::kMish:
      return map_scalar(x, y, n, [](float v) { return v * ::tanhf(softplus(v)); });
    case Unary::kSin:
      return map_scalar(x, y, n, [](float v) { return ::sinf(v); });
    case Unary::kCos:
      return map_scalar(x, y, n, [](float v) { return ::cosf(v); });
    case Unary::kCount:
      return;
  }
}

void binary(
    Binary op, const float* a, int64_t as, const float* b, int64_t bs, float* y, int64_t n) {
  switch (op) {
    case Binary::kAdd:
      return map2(a, as, b, bs, y, n, [](D, V u, V v) { return hn::Add(u, v); });
    case Binary::kSub:
      return map2(a, as, b, bs, y, n, [](D, V u, V v) { return hn::Sub(u, v); });
    case Binary::kMul:
      return map2(a, as, b, bs, y, n, [](D, V u, V v) { return hn::Mul(u, v); });
    case Binary::kDiv:
      return map2(a, as, b, bs, y, n, [](D, V u, V v) { return hn::Div(u, v); });
    case Binary::kMin:
      return map2(a, as, b, bs, y, n, [](D, V u, V v) {
        return hn::IfThenElse(hn::Or(hn::Lt(u, v), hn::IsNaN(u)), u, v);
      });
    case Binary::kMax:
      return map2(a, as, b, bs, y, n, [](D, V u, V v) {
        return hn::IfThenElse(hn::Or(hn::Gt(u, v), hn::IsNaN(u)), u, v);
      });
    case Binary::kPRelu:
      return map2(a, as, b, bs, y, n, [](D d, V u, V v) {
        return hn::IfThenElse(hn::Lt(u, hn::Zero(d)), hn::Mul(u, v), u);
      });
    case Binary::kPow:
      for (int64_t i = 0; i < n; ++i) y[i] = ::powf(a[i * as], b[i * bs]);
      return;
    case Binary::kCount:
      return;
  }
}

void epilogue(
    const Epilogue& chain, int64_t batch, int64_t row, int64_t column, float* y, int64_t n) {
  for (int i = 0; i < chain.count; ++i) {
    const EpilogueOp& op = chain.ops[i];
    if (!op.is_binary) {
      unary(op.unary, op.p0, op.p1, y, y, n);
      continue;
    }
    const float* other =
        op.operand + batch * op.batch_stride + row * op.row_stride + column * op.column_stride;
    if (op.flow_first) {
      binary(op.binary, y, 1, other, op.column_stride, y, n);
    } else {
      binary(op.binary, other, op.column_stride, y, 1, y, n);
    }
  }
}

const char* supports(int) { return nullptr; }

PointwiseVariant make_variant(const char* name) {
  return {name, PLANISH_SIMD_ISA, &unary, &binary, &epilogue, &supports};
}

}  // namespace
}  // namespace planish::kernels::PLANISH_SIMD
HWY_AFTER_NAMESPACE();
