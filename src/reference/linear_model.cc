#include "reference/linear_model.h"

#include "reference/product.h"
#include "reference/work.h"

namespace planish::reference {

std::vector<double> linear_scores(const Call& call, const Rows& x, int64_t targets) {
  const Floats &weights = call.attributes.get_floats("coefficients"),
               &shift = call.attributes.get_floats("intercepts");
  if (targets < 1 || static_cast<int64_t>(weights.size()) % targets != 0 ||
      static_cast<int64_t>(weights.size()) / targets != x.columns ||
      (!shift.empty() && static_cast<int64_t>(shift.size()) != targets)) {
    fail(ErrorCode::kInvalidInput,
         "{}: {} coefficients and {} intercepts do not fit {} targets of {} features", call.op,
         weights.size(), shift.size(), targets, x.columns);
  }
  const std::vector<double> w(weights.begin(), weights.end());
  std::vector<double> y = work_buffer(call, DType::kFloat64, {x.rows, targets});
  add_product(call, x.rows, targets, x.columns, Matrix<double>{x.values.data(), x.columns, 1},
              Matrix<double>{w.data(), 1, x.columns}, y.data(), targets);
  for (size_t i = 0; i < y.size() && !shift.empty(); ++i)
    y[i] += static_cast<double>(shift[i % shift.size()]);
  return y;
}

}  // namespace planish::reference
