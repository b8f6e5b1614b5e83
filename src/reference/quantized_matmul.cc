#include "reference/quantized_matmul.h"

#include "reference/work.h"

namespace planish::reference {

MatrixParameter::MatrixParameter(const Call& call,
                                 const Dims& operand,
                                 const Dims& parameter,
                                 bool columns) {
  const int64_t size = element_count(parameter);
  const size_t rank = operand.size();
  columns_ = operand.back();
  rows_ = rank > 1 ? operand[rank - 2] : 1;
  if (size == 1 && parameter.size() <= 1) return;
  const int64_t along = columns ? columns_ : rows_;
  (columns ? column_ : row_) = 1;
  bool fits = parameter.size() == 1 && size == along;
  if (parameter.size() == rank && rank > 1) {  // [batch..., rows, 1] or [batch..., 1, columns]
    fits = parameter[rank - 1] == (columns ? columns_ : 1) &&
           parameter[rank - 2] == (columns ? 1 : rows_);
    bool shared = true, full = true;
    for (size_t i = 0; i + 2 < rank; ++i)
      shared &= parameter[i] == 1, full &= parameter[i] == operand[i];
    fits &= shared || full;
    if (full && !shared) batch_ = along;
  }
  if (!fits) {
    fail(ErrorCode::kInvalidInput, "{}: a scale or zero point [{}] does not fit the {} of [{}]",
         call.op, dims_to_string(parameter), columns ? "columns" : "rows", dims_to_string(operand));
  }
}

int64_t MatrixParameter::index(int64_t element) const {
  return element / (rows_ * columns_) * batch_ + element / columns_ % rows_ * row_ +
         element % columns_ * column_;
}

std::vector<double> less_zero_point(const Call& call,
                                    const Tensor& operand,
                                    const Tensor* zero,
                                    bool columns) {
  std::vector<double> values = to_doubles(operand);
  if (!zero) return values;
  if (zero->dtype() != operand.dtype()) {
    fail(ErrorCode::kInvalidInput, "{}: an operand is {}, its zero point {}", call.op,
         to_string(operand.dtype()), to_string(zero->dtype()));
  }
  const MatrixParameter map(call, operand.dims(), zero->dims(), columns);
  const std::vector<double> zeros = to_doubles(*zero);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] -= zeros[static_cast<size_t>(map.index(static_cast<int64_t>(i)))];
  return values;
}

}  // namespace planish::reference
