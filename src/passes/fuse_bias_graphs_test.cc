// An Add behind a product: of one number, of one per channel, of shapes that make the result
// larger.
#include "passes/random_products_test.h"

namespace planish::passes {

PLANISH_GRAPHS(fuse_bias,
               {.kinds = {"became the bias of Conv", "became the bias of ConvTranspose",
                          "became the bias of Gemm", "became the bias of MatMul"},
                .inexact = {"became the bias of Conv", "became the bias of ConvTranspose",
                            "became the bias of Gemm"},
                .share = 8}) {
  const DType dtype = draw.pick(kFloats);
  V x = product(draw, dtype);
  for (int64_t i = 1 + draw.below(2); i > 0; --i) {
    const Dims dims = draw.dims_of(x);
    const size_t rank = dims.size();
    Dims bias(rank, 1);
    switch (draw.below(8)) {
      case 0:
        bias = {};
        break;
      case 1:
        bias = dims;
        break;
      case 2:
        bias.push_back(1);
        break;
      case 3:
        if (rank > 0) bias = {dims.back()};
        break;
      case 4:
        if (rank > 0) bias[0] = dims[0] == 1 ? 2 : dims[0];
        break;
      default:
        if (rank > 1) bias[1] = dims[1];
        if (draw.one_in(2) && rank > 1) bias.erase(bias.begin());
    }
    const V b = draw.one_in(12) ? draw.value(dtype, bias) : draw.constant(dtype, bias);
    x = draw.one_in(2) ? draw.emit("Add", {x, b}) : draw.emit("Add", {b, x});
    if (draw.one_in(6)) x = draw.emit("Relu", {x});
  }
}

}  // namespace planish::passes
