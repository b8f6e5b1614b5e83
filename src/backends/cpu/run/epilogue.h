// The epilogue chain of a step, as arguments of equal length:
//
//   epilogue           strings  "relu", "add", ... (kernels/pointwise names)
//   epilogue_p0, _p1   floats   parameters of unary operators
//   epilogue_operand   ints     input of the step that is the other operand; -1: unary
//   epilogue_first     ints     1: the flowing value is the first operand
//   epilogue_row       ints     1: the operand is 1-D and goes along rows (a convolution's bias)
//
// A step with `fixed` inputs of its own takes operands from input `fixed` on.
#pragma once

#include <cstddef>
#include <optional>

#include "backends/cpu/run/check.h"
#include "kernels/pointwise/pointwise.h"

namespace planish::backends::cpu {

void check_epilogue(const Checker& checker, size_t fixed);

// The output's dims fall into batch [0, rows), rows [rows, columns) and columns [columns, rank).
// Nothing when an operand does not broadcast in whole groups; make_epilogue refuses instead.
std::optional<kernels::Epilogue> try_epilogue(const runtime::StepContext& context,
                                              std::span<const int64_t> output,
                                              size_t rows,
                                              size_t columns);
kernels::Epilogue make_epilogue(const runtime::StepContext& context,
                                std::span<const int64_t> output,
                                size_t rows,
                                size_t columns);

}  // namespace planish::backends::cpu
