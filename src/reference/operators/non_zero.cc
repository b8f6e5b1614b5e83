#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_non_zero(const Call& call) {
  const Tensor& x = call.tensor(0);
  const auto count = static_cast<size_t>(x.size());
  std::vector<int64_t> found;
  if (x.dtype() == DType::kString) {
    for (size_t i = 0; i < count; ++i) {
      if (!x.strings()[i].empty()) found.push_back(static_cast<int64_t>(i));
    }
  } else if (is_complex(x.dtype())) {
    // A pair of floats, of which one differs from zero.
    const DType part = bit_width(x.dtype()) == 64 ? DType::kFloat32 : DType::kFloat64;
    const std::vector<double> v = doubles(Tensor::borrow(part, {2 * x.size()}, x.raw()));
    for (size_t i = 0; i < count; ++i) {
      if (v[2 * i] != 0 || v[2 * i + 1] != 0) found.push_back(static_cast<int64_t>(i));
    }
  } else {
    const std::vector<double> v = doubles(x);  // rounding never makes a zero of an integer
    for (size_t i = 0; i < count; ++i) {
      if (v[i] != 0) found.push_back(static_cast<int64_t>(i));
    }
  }
  // One row per axis; a scalar has none.
  const auto n = static_cast<int64_t>(found.size());
  Tensor out = call.make(DType::kInt64, {x.rank(), n});
  const std::span<int64_t> rows = out.mutable_data<int64_t>();
  for (int64_t j = 0; j < n; ++j) {
    int64_t rest = found[static_cast<size_t>(j)];
    for (int axis = x.rank(); axis-- > 0;) {
      rows[static_cast<size_t>(axis * n + j)] = rest % x.dim(axis);
      rest /= x.dim(axis);
    }
  }
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(non_zero) { return {"", "NonZero", &eval_non_zero}; }

}  // namespace planish::reference
