#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_equal(const Call& call) {
  const Tensor& a = call.tensor(0);
  const Tensor& b = call.tensor(1);
  if (a.dtype() != DType::kString)
    return compare<kNumber>(call, [](auto x, auto y) { return x == y; });
  same_type(call, a, b);
  const Broadcast both(call, {&a, &b});
  Tensor y = call.make(DType::kBool, both.dims());
  const std::span<bool> out = y.mutable_data<bool>();
  std::vector<const std::string*> left(out.size());
  both.runs(0, 0, both.size(), [&](int64_t at, int64_t count, int64_t first, int64_t step) {
    for (int64_t i = 0; i < count; ++i)
      left[static_cast<size_t>(at + i)] = &a.strings()[static_cast<size_t>(first + i * step)];
  });
  both.runs(1, 0, both.size(), [&](int64_t at, int64_t count, int64_t first, int64_t step) {
    for (int64_t i = 0; i < count; ++i)
      out[static_cast<size_t>(at + i)] =
          *left[static_cast<size_t>(at + i)] == b.strings()[static_cast<size_t>(first + i * step)];
  });
  return single(std::move(y));
}

}  // namespace

PLANISH_REFERENCE(equal) { return {"", "Equal", &eval_equal}; }

}  // namespace planish::reference
