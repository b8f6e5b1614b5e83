// The frame of every reduction: which elements belong to which output, and the loop over outputs.
// An operator supplies a function of one output's elements, laid out in row-major order:
//   return reduce<kNumber>(call, [](const auto* v, int64_t n) { ... return total; });
// An empty set arrives as n == 0; each operator says what it gives then.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/elementwise.h"
#include "reference/movement.h"
#include "reference/reference.h"

namespace planish::reference {

struct Reduction {
  Dims dims;          // of the result
  int64_t count = 1;  // elements reduced into one
  std::vector<int64_t> kept_extents, kept_strides;
  std::vector<int64_t> extents, strides;  // of the reduced axes, outermost first
};

// From the axes (already normal, no duplicates).
Reduction plan_reduction(const Tensor& data, const std::vector<int64_t>& axes, bool keepdims);
// From a Reduce* node: input 1 `axes`, attributes keepdims and noop_with_empty_axes.
Reduction plan_reduction(const Call& call);

// result[i] = f(elements of output i, their count), stored as `to`.
template <class T, class F>
Tensor reduce_into(const Call& call, const Tensor& data, const Reduction& plan, DType to, F f) {
  Tensor y = call.make(to, plan.dims);
  call.parallel_for(y.size(), [&](int64_t begin, int64_t end) {
    std::vector<T> values(static_cast<size_t>(plan.count));
    const size_t outer_rank = plan.extents.empty() ? 0 : plan.extents.size() - 1;
    const int64_t inner = plan.extents.empty() ? 1 : plan.extents.back();
    const int64_t step = plan.extents.empty() ? 0 : plan.strides.back();
    for (int64_t i = begin; i < end; ++i) {
      int64_t base = 0, rest = i;
      for (size_t k = plan.kept_extents.size(); k-- > 0;) {
        base += rest % plan.kept_extents[k] * plan.kept_strides[k];
        rest /= plan.kept_extents[k];
      }
      for (int64_t at = 0; at < plan.count; at += inner) {
        int64_t first = base, row = at / inner;
        for (size_t k = outer_rank; k-- > 0;) {
          first += row % plan.extents[k] * plan.strides[k];
          row /= plan.extents[k];
        }
        load(data, first, step, inner, values.data() + at);
      }
      const auto result = f(static_cast<const T*>(values.data()), plan.count);
      store(y, i, 1, &result);
    }
  });
  return y;
}

template <unsigned kinds, class F>
std::vector<Value> reduce(const Call& call, F f) {
  const Tensor& data = call.tensor(0);
  const Reduction plan = plan_reduction(call);
  return with_number<kinds>(call, data.dtype(), [&](auto zero) {
    return single(reduce_into<decltype(zero)>(call, data, plan, data.dtype(), f));
  });
}

// The element type behind the `const auto*` of a reduction function.
template <class P>
using Element = std::remove_const_t<std::remove_pointer_t<P>>;

// The square root of a sum in the element's own kind: exact for integers up to the last unit.
template <class T>
T root(T total) {
  return static_cast<T>(std::sqrt(static_cast<double>(total)));
}

// The result of a maximum (minimum) over nothing: the least (greatest) value of the dtype, infinite
// for floats.
template <class T>
T lowest_of(DType type) {
  if constexpr (std::is_same_v<T, double>)
    return -std::numeric_limits<double>::infinity();
  else
    return std::numeric_limits<T>::min() >> (64 - bit_width(type));
}
template <class T>
T highest_of(DType type) {
  if (type == DType::kBool) return T{1};
  if constexpr (std::is_same_v<T, double>)
    return std::numeric_limits<double>::infinity();
  else
    return std::numeric_limits<T>::max() >> (64 - bit_width(type));
}

// ArgMax and ArgMin: `better(a, b)` says that a beats b. A NaN beats every number.
template <class Better>
std::vector<Value> arg_reduce(const Call& call, Better better) {
  const Tensor& data = call.tensor(0);
  const int64_t axis = normal_axis(call, call.attributes.get_int("axis", 0), data.rank());
  const bool last = call.attributes.get_int("select_last_index", 0) != 0;
  const Reduction plan = plan_reduction(data, {axis}, call.attributes.get_int("keepdims", 1) != 0);
  if (plan.count == 0 && element_count(plan.dims) > 0)
    fail(ErrorCode::kData, "{}: axis {} has no elements to choose from", call.op, axis);
  return with_number<kNumber>(call, data.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return single(reduce_into<T>(call, data, plan, DType::kInt64, [&](const T* v, int64_t n) {
      const auto is_nan = [](T x) {
        if constexpr (std::is_same_v<T, double>)
          return std::isnan(x);
        else
          return false;
      };
      int64_t best = 0;
      for (int64_t i = 1; i < n; ++i) {
        if (is_nan(v[best])) {
          if (last && is_nan(v[i])) best = i;
        } else if (is_nan(v[i]) || better(v[i], v[best]) || (last && v[i] == v[best])) {
          best = i;
        }
      }
      return best;
    }));
  });
}

}  // namespace planish::reference
