// Operands of ConvInteger and QLinearConv.
#pragma once

#include <vector>

#include "reference/reference.h"

namespace planish::reference {

// Elements of `operand` less its zero point (null: 0): one number, or with `per_channel` also one
// for each entry of the first axis.
std::vector<double> less_channel_zero(const Call& call,
                                      const Tensor& operand,
                                      const Tensor* zero,
                                      bool per_channel);

}  // namespace planish::reference
