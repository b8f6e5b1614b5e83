// Symbolic shapes and costs of numpy-style matrix products: MatMul, MatMulInteger, QLinearMatMul.
#pragma once

#include <optional>
#include <span>

#include "ops/op.h"

namespace planish::ops {

// Of inputs `a` and `b`; nothing while a rank is unknown. Fails when inner or batch dims differ.
std::optional<Shape> matmul_shape(const InferContext& context, size_t a, size_t b);
// 2 * inner dim per output element.
Cost matmul_cost(const Dims& a, const Dims& output);

}  // namespace planish::ops
