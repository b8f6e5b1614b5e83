#include "reference/indexing.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_gather_nd(const Call& call) {
  const Tensor& x = call.tensor(0);
  const Tensor& where = call.tensor(1);
  const TupleIndex tuples(call, x, where, call.attributes.get_int("batch_dims", 0));
  Tensor out = call.make(x.dtype(), tuples.dims());
  tuples.each([&](int64_t i, int64_t element) {
    copy_run(out, i * tuples.run(), x, element, tuples.run());
  });
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(gather_nd) { return {"", "GatherND", &eval_gather_nd}; }

}  // namespace planish::reference
