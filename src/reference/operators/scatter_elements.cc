#include "reference/scatter.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_scatter_elements(const Call& call) {
  const Tensor& data = call.tensor(0);
  const Tensor& where = call.tensor(1);
  const Tensor& updates = call.tensor(2);
  const auto axis =
      static_cast<size_t>(normal_axis(call, call.attributes.get_int("axis", 0), data.rank()));
  if (where.dims() != updates.dims())
    fail(ErrorCode::kInvalidInput, "ScatterElements: indices of {} and updates of {} must agree",
         dims_to_string(where.dims()), dims_to_string(updates.dims()));
  const Combine combine = combine_of(call);
  const ElementIndex positions(call, data, where, axis);
  return scatter(call, combine, data, updates, [&](Tensor& target, const Tensor& source) {
    positions.each([&](int64_t i, int64_t element) {
      combine_run(call, combine, target, element, source, i, 1);
    });
  });
}

}  // namespace

PLANISH_REFERENCE(scatter_elements) { return {"", "ScatterElements", &eval_scatter_elements}; }

}  // namespace planish::reference
