// MaxUnpool: puts each element where its index says. Indices number the cells of the shape that
// kernel, strides and pads imply; a larger output_shape adds zeros at the ends.
#include "reference/movement.h"
#include "reference/window.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_max_unpool(const Call& call) {
  const Tensor &x = call.tensor(0), &indices = call.tensor(1);
  if (x.rank() < 3 || indices.dims() != x.dims()) {
    fail(ErrorCode::kInvalidInput, "{}: X [{}] and I [{}] must have one shape of rank 3 or more",
         call.op, dims_to_string(x.dims()), dims_to_string(indices.dims()));
  }
  const size_t rank = x.dims().size();
  const WindowAttributes w = read_window(call.attributes, rank - 2, nullptr);
  Dims natural = x.dims();
  for (size_t a = 0; a + 2 < rank; ++a) {
    if (natural[a + 2] >= int64_t{1} << 31)
      fail(ErrorCode::kInvalidInput, "{}: axis {} is too long", call.op, a + 2);
    natural[a + 2] = (natural[a + 2] - 1) * w.stride[a] + w.kernel[a] - w.begin[a] - w.end[a];
  }
  Dims dims = natural;
  if (call.has(2)) {
    dims = to_ints(call.tensor(2));
    if (dims.size() != rank)
      fail(ErrorCode::kInvalidInput, "{}: output_shape has {} entries for rank {}", call.op,
           dims.size(), rank);
  }
  const int64_t cells = element_count(natural);
  Tensor y = call.make(x.dtype(), dims);
  const std::vector<int64_t> strides = row_major(dims);
  Dims at(rank);
  with_mover(y, x, [&](auto move) {
    for (int64_t i = 0; i < x.size(); ++i) {
      const int64_t index = load_int(indices, i);
      if (index < 0 || index >= cells)
        fail(ErrorCode::kData, "{}: index {} is outside [0, {})", call.op, index, cells);
      unravel(index, natural, at);
      int64_t to = 0;
      for (size_t a = 0; a < rank; ++a) {
        if (at[a] >= dims[a])
          fail(ErrorCode::kData, "{}: index {} lies outside output_shape", call.op, index);
        to += at[a] * strides[a];
      }
      move(to, i);
    }
  });
  return results(std::move(y));
}

}  // namespace

PLANISH_REFERENCE(max_unpool) { return {"", "MaxUnpool", &eval_max_unpool}; }

}  // namespace planish::reference
