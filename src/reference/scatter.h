// The common part of ScatterElements and ScatterND: a copy of data in which updates are combined.
#pragma once

#include <utility>

#include "reference/indexing.h"

namespace planish::reference {

// A float result is summed up in double and rounded once: `work` is then a float64 twin of the
// data. apply(target, source) does the updates.
template <class Apply>
std::vector<Value> scatter(
    const Call& call, Combine combine, const Tensor& data, const Tensor& updates, Apply&& apply) {
  if (data.dtype() != updates.dtype())
    fail(ErrorCode::kInvalidInput, "{}: data is {}, updates are {}; they must agree", call.op,
         to_string(data.dtype()), to_string(updates.dtype()));
  const bool widen = combine != Combine::kReplace && is_floating(data.dtype());
  if (!widen) {
    Tensor out = copied(call, data);
    apply(out, updates);
    return single(std::move(out));
  }
  const auto same = [](double v) { return v; };
  Tensor work = map<double>(call, data, DType::kFloat64, same);
  const Tensor source = map<double>(call, updates, DType::kFloat64, same);
  apply(work, source);
  return single(map<double>(call, work, data.dtype(), same));
}

}  // namespace planish::reference
