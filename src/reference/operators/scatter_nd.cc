#include "reference/scatter.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_scatter_nd(const Call& call) {
  const Tensor& data = call.tensor(0);
  const Tensor& where = call.tensor(1);
  const Tensor& updates = call.tensor(2);
  const Combine combine = combine_of(call);
  const TupleIndex tuples(call, data, where, 0);
  if (updates.dims() != tuples.dims())
    fail(ErrorCode::kInvalidInput, "ScatterND: updates of {} where indices and data give {}",
         dims_to_string(updates.dims()), dims_to_string(tuples.dims()));
  return scatter(call, combine, data, updates, [&](Tensor& target, const Tensor& source) {
    tuples.each([&](int64_t i, int64_t first) {
      combine_run(call, combine, target, first, source, i * tuples.run(), tuples.run());
    });
  });
}

}  // namespace

PLANISH_REFERENCE(scatter_nd) { return {"", "ScatterND", &eval_scatter_nd}; }

}  // namespace planish::reference
