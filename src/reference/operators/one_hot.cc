#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_one_hot(const Call& call) {
  const Tensor& where = call.tensor(0);
  const int64_t depth = one_integer(call, 1);
  const Tensor& values = call.tensor(2);
  if (values.size() != 2)
    fail(ErrorCode::kInvalidInput, "OneHot: values has {} elements, off and on are needed",
         values.size());
  if (depth < 0) fail(ErrorCode::kData, "OneHot: depth is {}", depth);
  const int64_t rank = where.rank() + 1;
  const auto axis =
      static_cast<size_t>(normal_axis(call, call.attributes.get_int("axis", -1), rank));
  Dims dims = where.dims();
  dims.insert(dims.begin() + static_cast<int64_t>(axis), depth);
  Tensor out = call.make(values.dtype(), dims);
  fill(out, values);  // with its first element, off
  int64_t inner = 1;
  for (size_t i = axis + 1; i < dims.size(); ++i) inner *= dims[i];
  const std::vector<int64_t> index = integers(where);
  with_mover(out, values, [&](auto move) {
    for (size_t i = 0; i < index.size(); ++i) {
      // Outside [-depth, depth) nothing is on.
      if (index[i] < -depth || index[i] >= depth) continue;
      const int64_t on = index[i] < 0 ? index[i] + depth : index[i];
      const auto at = static_cast<int64_t>(i);
      move((at / inner * depth + on) * inner + at % inner, 1);
    }
  });
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(one_hot) { return {"", "OneHot", &eval_one_hot}; }

}  // namespace planish::reference
