// The families of pointwise operators. An operator supplies a generic function of numbers and the
// kinds of number it is defined for:
//   unary<kFloat>(call, [](double x) { return std::exp(x); })
//   binary<kNumber>(call, [](auto a, auto b) { return wrap_add(a, b); })
// The function sees double, int64_t or uint64_t; results are rounded once when they are stored.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "reference/blocks.h"
#include "reference/broadcast.h"
#include "reference/reference.h"

namespace planish::reference {

enum Kinds : unsigned { kFloat = 1, kSigned = 2, kUnsigned = 4, kInteger = 6, kNumber = 7 };

// Calls f(double{}), f(int64_t{}) or f(uint64_t{}), whichever computes `type`.
template <unsigned kinds, class F>
std::vector<Value> with_number(const Call& call, DType type, F&& f) {
  switch (number_of(type)) {
    case Number::kFloat:
      if constexpr (kinds & kFloat) return f(double{});
      break;
    case Number::kSigned:
      if constexpr (kinds & kSigned) return f(int64_t{});
      break;
    case Number::kUnsigned:
      if constexpr (kinds & kUnsigned) return f(uint64_t{});
      break;
    case Number::kNone:
      break;
  }
  unsupported_type(call, type);
}

// y[i] = f(x[i]) with x read as In and f's result stored as `to`.
template <class In, class F>
Tensor map(const Call& call, const Tensor& x, DType to, F f) {
  using Out = std::invoke_result_t<F, In>;
  using Stored = std::conditional_t<std::is_same_v<Out, bool>, uint64_t, Out>;
  Tensor y = call.make(to, x.dims());
  for_blocks(call, y.size(), [&](int64_t first, int64_t count) {
    In in[kBlock];
    Stored out[kBlock];
    load(x, first, 1, count, in);
    for (int64_t i = 0; i < count; ++i) out[i] = f(in[i]);
    store(y, first, count, out);
  });
  return y;
}

template <unsigned kinds, class F>
std::vector<Value> unary(const Call& call, F f) {
  const Tensor& x = call.tensor(0);
  return with_number<kinds>(call, x.dtype(), [&](auto zero) {
    return single(map<decltype(zero)>(call, x, x.dtype(), f));
  });
}

// Both operands must agree in dtype.
void same_type(const Call& call, const Tensor& a, const Tensor& b);

template <class In, class F>
Tensor map2(const Call& call, const Tensor& a, const Tensor& b, DType to, F f) {
  using Out = std::invoke_result_t<F, In, In>;
  using Stored = std::conditional_t<std::is_same_v<Out, bool>, uint64_t, Out>;
  const Broadcast both(call, {&a, &b});
  Tensor y = call.make(to, both.dims());
  for_blocks(call, y.size(), [&](int64_t first, int64_t count) {
    In left[kBlock], right[kBlock];
    Stored out[kBlock];
    both.load_block(0, first, count, left);
    both.load_block(1, first, count, right);
    for (int64_t i = 0; i < count; ++i) out[i] = f(left[i], right[i]);
    store(y, first, count, out);
  });
  return y;
}

template <unsigned kinds, class F>
std::vector<Value> binary(const Call& call, F f) {
  const Tensor& a = call.tensor(0);
  const Tensor& b = call.tensor(1);
  same_type(call, a, b);
  return with_number<kinds>(call, a.dtype(), [&](auto zero) {
    return single(map2<decltype(zero)>(call, a, b, a.dtype(), f));
  });
}

// A predicate of two numbers: the result is bool.
template <unsigned kinds, class F>
std::vector<Value> compare(const Call& call, F f) {
  const Tensor& a = call.tensor(0);
  const Tensor& b = call.tensor(1);
  same_type(call, a, b);
  return with_number<kinds>(call, a.dtype(), [&](auto zero) {
    return single(map2<decltype(zero)>(call, a, b, DType::kBool, f));
  });
}

// f folds any number of operands, finish(folded value, operand count) ends it.
template <unsigned kinds, class F, class Finish>
std::vector<Value> variadic(const Call& call, F f, Finish finish) {
  std::vector<const Tensor*> operands;
  for (size_t i = 0; i < call.inputs.size(); ++i) operands.push_back(&call.tensor(i));
  if (operands.empty()) fail(ErrorCode::kInvalidModel, "{} needs at least one input", call.op);
  for (const Tensor* t : operands) same_type(call, *operands[0], *t);
  const DType type = operands[0]->dtype();
  return with_number<kinds>(call, type, [&](auto zero) {
    using T = decltype(zero);
    const Broadcast all(call, operands);
    Tensor y = call.make(type, all.dims());
    for_blocks(call, y.size(), [&](int64_t first, int64_t count) {
      T total[kBlock], next[kBlock];
      all.load_block(0, first, count, total);
      for (size_t k = 1; k < operands.size(); ++k) {
        all.load_block(k, first, count, next);
        for (int64_t i = 0; i < count; ++i) total[i] = f(total[i], next[i]);
      }
      for (int64_t i = 0; i < count; ++i) total[i] = finish(total[i], operands.size());
      store(y, first, count, total);
    });
    return single(std::move(y));
  });
}

// Integer arithmetic modulo 2^64 (store keeps the low bits), plain for double.
template <class T>
T wrap_add(T a, T b) {
  if constexpr (std::is_same_v<T, double>)
    return a + b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <class T>
T wrap_sub(T a, T b) {
  if constexpr (std::is_same_v<T, double>)
    return a - b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
template <class T>
T wrap_mul(T a, T b) {
  if constexpr (std::is_same_v<T, double>)
    return a * b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// Minimum and maximum in which a NaN on either side wins.
template <class T>
T nan_min(T a, T b) {
  if constexpr (std::is_same_v<T, double>) {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
  }
  return b < a ? b : a;
}
template <class T>
T nan_max(T a, T b) {
  if constexpr (std::is_same_v<T, double>) {
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
  }
  return a < b ? b : a;
}

// kData when integer tensor `divisor` holds a zero and the result has elements.
void no_zero(const Call& call, const Tensor& divisor, int64_t result_elements);

}  // namespace planish::reference
