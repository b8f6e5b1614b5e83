#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_eye_like(const Call& call) {
  const Tensor& x = call.tensor(0);
  if (x.rank() != 2)
    fail(ErrorCode::kInvalidInput, "EyeLike needs a matrix, not {}", dims_to_string(x.dims()));
  const auto type =
      static_cast<DType>(call.attributes.get_int("dtype", static_cast<int64_t>(x.dtype())));
  const int64_t rows = x.dim(0), columns = x.dim(1);
  const int64_t k = std::clamp(call.attributes.get_int("k", 0), -rows - 1, columns + 1);
  Tensor out = call.make(type, x.dims());
  const int64_t one = 1;
  for (int64_t r = std::max<int64_t>(0, -k); r < rows && r + k < columns; ++r)
    store(out, r * columns + r + k, 1, &one);
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(eye_like) { return {"", "EyeLike", &eval_eye_like}; }

}  // namespace planish::reference
