#include "reference/movement.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_flatten(const Call& call) {
  const Tensor& x = call.tensor(0);
  const int64_t rank = x.rank();
  int64_t axis = call.attributes.get_int("axis", 1);
  if (axis < -rank || axis > rank)
    fail(ErrorCode::kInvalidModel, "Flatten: axis {} is outside [{}, {}]", axis, -rank, rank);
  if (axis < 0) axis += rank;
  const std::span<const int64_t> dims = x.dims();
  const int64_t rows = element_count(dims.first(static_cast<size_t>(axis)));
  const int64_t columns = element_count(dims.subspan(static_cast<size_t>(axis)));
  return single(copied(call, x, {rows, columns}));
}

}  // namespace

PLANISH_REFERENCE(flatten) { return {"", "Flatten", &eval_flatten}; }

}  // namespace planish::reference
