// Products for the generators of passes that look at what follows one.
#pragma once

#include <string_view>

#include "passes/random_graphs_test.h"

namespace planish::passes {

// A Conv, ConvTranspose, Gemm or MatMul of this type with small random sizes, mostly of constant
// weights, with or without a bias.
V product(Draw& draw, std::string_view op, DType dtype);
inline V product(Draw& draw, DType dtype) {
  return product(draw, draw.pick({"Conv", "ConvTranspose", "Gemm", "MatMul"}), dtype);
}

}  // namespace planish::passes
