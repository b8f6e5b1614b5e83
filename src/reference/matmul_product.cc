#include "reference/matmul.h"
#include "reference/window.h"

namespace planish::reference {

MatrixProduct read_matmul(const Call& call, Dims a, Dims b) {
  if (a.empty() || b.empty()) {
    fail(ErrorCode::kInvalidInput, "{}: operands [{}] and [{}] must have one dim at least", call.op,
         dims_to_string(a), dims_to_string(b));
  }
  const bool row = a.size() == 1, column = b.size() == 1;
  const std::string shapes = fmt::format("[{}] and [{}]", dims_to_string(a), dims_to_string(b));
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  MatrixProduct p;
  p.m = a[a.size() - 2], p.k = a.back(), p.n = b.back();
  if (b[b.size() - 2] != p.k) {
    fail(ErrorCode::kInvalidInput, "{}: the inner dims of {} differ ({} and {})", call.op, shapes,
         p.k, b[b.size() - 2]);
  }
  const size_t rank = std::max(a.size(), b.size()) - 2;
  Dims batch(rank), a_stride(rank, 0), b_stride(rank, 0);
  int64_t a_step = p.m * p.k, b_step = p.k * p.n;
  for (size_t i = 0; i < rank; ++i) {  // from the innermost batch axis outwards
    const int64_t x = i < a.size() - 2 ? a[a.size() - 3 - i] : 1,
                  y = i < b.size() - 2 ? b[b.size() - 3 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      fail(ErrorCode::kInvalidInput, "{}: the batch dims of {} do not broadcast", call.op, shapes);
    }
    const size_t axis = rank - 1 - i;
    batch[axis] = x == 1 ? y : x;
    if (x != 1) a_stride[axis] = a_step;
    if (y != 1) b_stride[axis] = b_step;
    a_step *= x, b_step *= y;
  }
  p.output_dims = batch;
  if (!row) p.output_dims.push_back(p.m);
  if (!column) p.output_dims.push_back(p.n);
  element_count(p.output_dims);  // bounds the product
  // Empty outputs need no batches; that also bounds the lists below by the operands' real sizes.
  const int64_t batches = p.m == 0 || p.n == 0 ? 0 : element_count(batch);
  if (batches > call.callbacks.max_output_bytes / 8) {
    fail(ErrorCode::kOutOfMemory, "{}: {} batches are more than the memory limit allows", call.op,
         batches);
  }
  Dims at(rank, 0);
  for (int64_t i = 0; i < batches; ++i, next_index(at, batch)) {
    int64_t x = 0, y = 0;
    for (size_t axis = 0; axis < rank; ++axis)
      x += at[axis] * a_stride[axis], y += at[axis] * b_stride[axis];
    p.a_offsets.push_back(x);
    p.b_offsets.push_back(y);
  }
  return p;
}

}  // namespace planish::reference
