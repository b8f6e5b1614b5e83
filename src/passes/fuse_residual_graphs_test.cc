// Adds of a product and a tensor of its shape, of two products, of a product to itself.
#include "passes/random_products_test.h"

namespace planish::passes {

PLANISH_GRAPHS(fuse_residual,
               {.kinds = {"went into the epilogue of Conv",
                          "went into the epilogue of ConvTranspose",
                          "went into the epilogue of Gemm", "went into the epilogue of MatMul"},
                .share = 10}) {
  const DType dtype = draw.pick(kFloats);
  V x = product(draw, dtype);
  if (draw.one_in(6)) x = draw.emit("Relu", {x});
  for (int64_t i = 1 + draw.below(2); i > 0; --i) {
    Dims dims = draw.dims_of(x);
    V other = x;
    switch (draw.below(8)) {
      case 0:
        break;
      case 1:
        if (!dims.empty()) dims.back() = 1;
        other = draw.value(dtype, dims);
        break;
      case 2:
        dims.insert(dims.begin(), 1);
        other = draw.value(dtype, dims);
        break;
      case 3:
        // Made from the product too.
        other = draw.emit("Neg", {x});
        break;
      case 4:
      case 5:
      case 6: {
        // Another product of the same sizes.
        const ir::Node& maker = draw.graph().node(draw.graph().value(x).producer);
        std::vector<V> inputs = maker.inputs;
        if (inputs.size() > 1 && !draw.one_in(4)) {
          inputs[1] = draw.constant(dtype, Dims(draw.dims_of(inputs[1])));
        }
        other = draw.emit(maker.op, std::move(inputs), maker.attributes);
        break;
      }
      default:
        other = draw.value(dtype, dims);
    }
    x = draw.one_in(2) ? draw.emit("Add", {x, other}) : draw.emit("Add", {other, x});
  }
}

}  // namespace planish::passes
