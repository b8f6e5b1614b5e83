#include "reference/broadcast.h"
#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_where(const Call& call) {
  const Tensor& condition = call.tensor(0);
  const Tensor& x = call.tensor(1);
  const Tensor& y = call.tensor(2);
  if (condition.dtype() != DType::kBool) unsupported_type(call, condition.dtype());
  if (x.dtype() != y.dtype())
    fail(ErrorCode::kInvalidInput, "Where: {} and {} must be of one type", to_string(x.dtype()),
         to_string(y.dtype()));
  const Broadcast all(call, {&condition, &x, &y});
  Tensor out = call.make(x.dtype(), all.dims());
  for_blocks(call, all.size(), [&](int64_t begin, int64_t count) {
    uint64_t chosen[kBlock];
    all.load_block(0, begin, count, chosen);
    for (const bool first : {true, false}) {
      const Tensor& source = first ? x : y;
      with_mover(out, source, [&](auto move) {
        all.runs(first ? 1 : 2, begin, begin + count,
                 [&](int64_t at, int64_t n, int64_t from, int64_t step) {
                   for (int64_t i = 0; i < n; ++i) {
                     if ((chosen[at + i - begin] != 0) == first) move(at + i, from + i * step);
                   }
                 });
      });
    }
  });
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(where) { return {"", "Where", &eval_where}; }

}  // namespace planish::reference
