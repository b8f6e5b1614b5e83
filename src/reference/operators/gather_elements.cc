#include "reference/indexing.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_gather_elements(const Call& call) {
  const Tensor& x = call.tensor(0);
  const Tensor& where = call.tensor(1);
  const auto at =
      static_cast<size_t>(normal_axis(call, call.attributes.get_int("axis", 0), x.rank()));
  const ElementIndex positions(call, x, where, at);
  Tensor out = call.make(x.dtype(), where.dims());
  with_mover(out, x, [&](auto move) {
    positions.each([&](int64_t i, int64_t element) { move(i, element); });
  });
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(gather_elements) { return {"", "GatherElements", &eval_gather_elements}; }

}  // namespace planish::reference
