// Operands of MatMulInteger and QLinearMatMul.
#pragma once

#include <vector>

#include "reference/reference.h"

namespace planish::reference {

// Which entry of a parameter (scale or zero point) of a matrix operand belongs to element i. The
// parameter is one number, a vector over rows (left operand) or columns (right one), or has the
// operand's batch dims before rows x 1 or 1 x columns.
class MatrixParameter {
 public:
  MatrixParameter(const Call& call, const Dims& operand, const Dims& parameter, bool columns);
  int64_t index(int64_t element) const;

 private:
  int64_t columns_ = 1, rows_ = 1;  // of the operand's matrices
  int64_t batch_ = 0;               // entries of the parameter a matrix; 0: all matrices share
  int64_t row_ = 0, column_ = 0;    // strides
};

// Elements of `operand` less its zero point (null: 0).
std::vector<double> less_zero_point(const Call& call,
                                    const Tensor& operand,
                                    const Tensor* zero,
                                    bool columns);

}  // namespace planish::reference
