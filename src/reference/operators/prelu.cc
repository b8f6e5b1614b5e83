#include "reference/elementwise.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_prelu(const Call& call) {
  // The slope broadcasts to the shape of x, never the other way round.
  const Tensor& x = call.tensor(0);
  const Dims* shapes[] = {&x.dims(), &call.tensor(1).dims()};
  if (broadcast_dims(call, shapes) != x.dims())
    fail(ErrorCode::kInvalidInput, "PRelu: slope {} does not broadcast to {}",
         dims_to_string(call.tensor(1).dims()), dims_to_string(x.dims()));
  return binary<kNumber>(
      call, [](auto v, auto slope) { return v < decltype(v){0} ? wrap_mul(v, slope) : v; });
}

}  // namespace

PLANISH_REFERENCE(prelu) { return {"", "PRelu", &eval_prelu}; }

}  // namespace planish::reference
