#include "reference/elementwise.h"

namespace planish::reference {

void same_type(const Call& call, const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype())
    fail(ErrorCode::kInvalidInput, "{}: operands of types {} and {} must agree", call.op,
         to_string(a.dtype()), to_string(b.dtype()));
}

void no_zero(const Call& call, const Tensor& divisor, int64_t result_elements) {
  if (result_elements == 0) return;
  const std::vector<int64_t> values = integers(divisor);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0)
      fail(ErrorCode::kData, "{}: integer division by zero (element {} of the divisor)", call.op,
           i);
  }
}

}  // namespace planish::reference
