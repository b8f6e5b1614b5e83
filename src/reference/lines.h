// Lines of a tensor along one axis, for Softmax, LogSoftmax, Hardmax and LpNormalization.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/work.h"

namespace planish::reference {

// Same-shaped result in which every line along attribute `axis` is f(line values, length), in
// place. f may be called from several workers at once.
template <class F>
std::vector<Value> map_lines(const Call& call, F f) {
  const Tensor& x = call.tensor(0);
  if (x.rank() == 0) {
    const int64_t axis = call.attributes.get_int("axis", -1);
    if (axis != 0 && axis != -1)
      fail(ErrorCode::kInvalidModel, "{}: a scalar has no axis {}", call.op, axis);
  }
  const int64_t axis =
      x.rank() == 0 ? 0 : normal_axis(call, call.attributes.get_int("axis", -1), x.rank());
  const int64_t length = x.rank() == 0 ? 1 : x.dim(static_cast<int>(axis));
  const int64_t inner = x.rank() == 0 ? 1 : span_size(x.dims(), axis + 1, x.rank());
  std::vector<double> values = to_doubles(x);
  const int64_t lines = length == 0 ? 0 : x.size() / length;
  call.parallel_for(lines, [&](int64_t begin, int64_t end) {
    std::vector<double> line(static_cast<size_t>(length));
    for (int64_t i = begin; i < end; ++i) {
      double* first = values.data() + i / inner * length * inner + i % inner;
      for (int64_t j = 0; j < length; ++j) line[static_cast<size_t>(j)] = first[j * inner];
      f(line.data(), length);
      for (int64_t j = 0; j < length; ++j) first[j * inner] = line[static_cast<size_t>(j)];
    }
  });
  return results(from_doubles(x.dtype(), x.dims(), values));
}

}  // namespace planish::reference
