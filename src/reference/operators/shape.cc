#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_shape(const Call& call) {
  const Dims& dims = call.tensor(0).dims();
  const auto rank = static_cast<int64_t>(dims.size());
  // Bounds count from the back when negative and are clamped, as in a slice.
  const auto clamp = [rank](int64_t at) {
    return std::clamp(at < 0 ? at + rank : at, int64_t{0}, rank);
  };
  const int64_t start = clamp(call.attributes.get_int("start", 0));
  const int64_t end = std::max(start, clamp(call.attributes.get_int("end", rank)));
  const std::span<const int64_t> part(dims.data() + start, static_cast<size_t>(end - start));
  return single(Tensor::of<int64_t>({end - start}, part));
}

}  // namespace

PLANISH_REFERENCE(shape) { return {"", "Shape", &eval_shape}; }

}  // namespace planish::reference
