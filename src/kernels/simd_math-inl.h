// exp, expm1-free sigmoid, tanh, erf and what is made of them, on Highway vectors of float.
//
// Each is within 4 ULP of the true value (pointwise_test sweeps floats against double); results
// that would be denormal may be flushed to zero. The polynomials were fitted for least largest
// error (reweighted least squares on Chebyshev nodes); each comment gives interval and error of the
// fit.
#pragma once

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace planish::kernels::PLANISH_SIMD {
namespace {

// exp(x) = 2^n e^r with n = round(x / ln 2) and |r| <= ln(2)/2, ln 2 split in two so that n ln 2
// is exact. 2^n is applied as two factors: results next to overflow need n = 128.
// e^r = 1 + r + r^2 p(r), |p error| * r^2 < 8e-9.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_exp(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V lo = hn::Set(d, -104.0f), hi = hn::Set(d, 89.0f);
  const auto nan = hn::IsNaN(x);
  const V xc = hn::Min(hn::Max(x, lo), hi);
  const V n = hn::Round(hn::Mul(xc, hn::Set(d, 1.44269504088896341f)));
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693145751953125f), xc);
  r = hn::NegMulAdd(n, hn::Set(d, 1.428606820309417e-6f), r);
  V p = hn::Set(d, 0.00139411178f);
  p = hn::MulAdd(p, r, hn::Set(d, 0.00836317986f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.0416663736f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.166665763f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.5f));
  const V e = hn::Add(hn::MulAdd(hn::Mul(r, r), p, r), hn::Set(d, 1.0f));
  const auto ni = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(ni);
  const auto bias = hn::Set(di, 127);
  const V s0 = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(half, bias)));
  const V s1 = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::Sub(ni, half), bias)));
  return hn::IfThenElse(nan, x, hn::Mul(hn::Mul(e, s0), s1));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  return hn::Div(one, hn::Add(one, simd_exp(d, hn::Neg(x))));
}

// |x| < 0.625: x + x z p(z), z = x^2, error 3e-9. Above: 1 - 2 / (e^(2|x|) + 1), where the
// difference loses at most one bit; e^18 is far past where tanh rounds to 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_tanh(D d, V x) {
  const V ax = hn::Abs(x), one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f);
  const V z = hn::Mul(x, x);
  V p = hn::Set(d, 0.00234575919f);
  p = hn::MulAdd(p, z, hn::Set(d, -0.00839923322f));
  p = hn::MulAdd(p, z, hn::Set(d, 0.0217896458f));
  p = hn::MulAdd(p, z, hn::Set(d, -0.0539625883f));
  p = hn::MulAdd(p, z, hn::Set(d, 0.133333251f));
  p = hn::MulAdd(p, z, hn::Set(d, -0.333333343f));
  const V small = hn::MulAdd(hn::Mul(x, z), p, x);
  const V e =
      simd_exp(d, hn::Mul(two, hn::IfThenElse(hn::Gt(ax, hn::Set(d, 9.0f)), hn::Set(d, 9.0f), ax)));
  const V large = hn::CopySign(hn::Sub(one, hn::Div(two, hn::Add(e, one))), x);
  const V y = hn::IfThenElse(hn::Lt(ax, hn::Set(d, 0.625f)), small, large);
  return hn::IfThenElse(hn::Gt(ax, hn::Set(d, 9.0f)), hn::CopySign(one, x), y);
}

// |x| < 1: x + x q(x^2), error 1e-9. Above, with t = |x|: 1 - e^-p(t) where p(t) = -log erfc(t) is
// nearly a parabola; erfc(t) < 0.16 there, so that the error of p matters little. erf(4) rounds
// to 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V simd_erf(D d, V x) {
  const V ax = hn::Abs(x), one = hn::Set(d, 1.0f);
  const V z = hn::Mul(x, x);
  V q = hn::Set(d, 7.88912002e-05f);
  q = hn::MulAdd(q, z, hn::Set(d, -0.000802084163f));
  q = hn::MulAdd(q, z, hn::Set(d, 0.00518953521f));
  q = hn::MulAdd(q, z, hn::Set(d, -0.0268544443f));
  q = hn::MulAdd(q, z, hn::Set(d, 0.112836003f));
  q = hn::MulAdd(q, z, hn::Set(d, -0.37612626f));
  q = hn::MulAdd(q, z, hn::Set(d, 0.128379166f));
  const V small = hn::MulAdd(x, q, x);
  const V t = hn::IfThenElse(hn::Gt(ax, hn::Set(d, 4.0f)), hn::Set(d, 4.0f), ax);
  V p = hn::Set(d, -0.000185574856f);
  p = hn::MulAdd(p, t, hn::Set(d, 0.0029396154f));
  p = hn::MulAdd(p, t, hn::Set(d, -0.0218053497f));
  p = hn::MulAdd(p, t, hn::Set(d, 0.103037432f));
  p = hn::MulAdd(p, t, hn::Set(d, 0.638225615f));
  p = hn::MulAdd(p, t, hn::Set(d, 1.12704003f));
  p = hn::MulAdd(p, t, hn::Set(d, 0.000353709387f));
  const V large = hn::CopySign(hn::Sub(one, simd_exp(d, hn::Neg(p))), x);
  return hn::IfThenElse(hn::Lt(ax, one), small, large);
}

}  // namespace
}  // namespace planish::kernels::PLANISH_SIMD
HWY_AFTER_NAMESPACE();
