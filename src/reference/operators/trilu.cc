#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_trilu(const Call& call) {
  const Tensor& x = call.tensor(0);
  if (x.rank() < 2)
    fail(ErrorCode::kInvalidInput, "Trilu needs matrices, not {}", dims_to_string(x.dims()));
  const bool upper = call.attributes.get_int("upper", 1) != 0;
  const int64_t rows = x.dim(x.rank() - 2), columns = x.dim(x.rank() - 1);
  // A diagonal far outside is as good as one just outside.
  const int64_t k =
      call.has(1) ? std::clamp(one_integer(call, 1), -rows - 1, columns + 1) : int64_t{0};
  Tensor out = call.make(x.dtype(), x.dims());
  if (out.size() == 0) return single(std::move(out));
  const int64_t lines = x.size() / columns;
  for (int64_t line = 0; line < lines; ++line) {
    const int64_t diagonal = std::clamp(line % rows + k + (upper ? 0 : 1), int64_t{0}, columns);
    const int64_t first = line * columns + (upper ? diagonal : 0);
    copy_run(out, first, x, first, upper ? columns - diagonal : diagonal);
  }
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(trilu) { return {"", "Trilu", &eval_trilu}; }

}  // namespace planish::reference
