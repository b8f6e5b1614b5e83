// Activations, one or a chain longer than an epilogue, behind what has an epilogue and what has
// none.
#include "passes/random_products_test.h"

namespace planish::passes {
namespace {

V activation(Draw& draw, V x) {
  const DType dtype = draw.dtype_of(x);
  const Dims& dims = draw.dims_of(x);
  // One number, or what is broadcast.
  const auto parameter = [&] {
    Dims shape;
    if (draw.one_in(4)) shape = Dims(draw.one_in(2) ? 1 : dims.size(), 1);
    if (draw.one_in(6)) shape.assign(dims.size() + 1, 1);
    if (draw.one_in(6) && !dims.empty()) shape = {dims.back()};
    return draw.one_in(8) ? draw.value(dtype, shape) : draw.constant(dtype, shape);
  };
  switch (draw.below(6)) {
    case 0: {
      std::vector<V> inputs = {x};
      const auto bound = [&] {
        return draw.one_in(8) ? draw.value(dtype, {}) : draw.constant(dtype, {});
      };
      if (!draw.one_in(6)) inputs.push_back(draw.one_in(4) ? ir::kNoValue : bound());
      if (inputs.size() > 1 && !draw.one_in(4)) inputs.push_back(bound());
      return draw.emit("Clip", std::move(inputs));
    }
    case 1:
      return draw.emit("PRelu", {x, parameter()});
    case 2:
      return draw.emit(draw.pick({"Celu", "Elu", "LeakyRelu", "ThresholdedRelu"}), {x},
                       with("alpha", 0.5f));
    case 3:
      return draw.emit(draw.pick({"Gelu", "HardSigmoid", "HardSwish", "Mish", "Selu", "Sigmoid",
                                  "Softplus", "Softsign", "Tanh"}),
                       {x});
    case 4:
      return draw.emit(draw.pick({"Abs", "Neg", "Exp", "Erf"}), {x});
    default:
      return draw.emit("Relu", {x});
  }
}

}  // namespace

PLANISH_GRAPHS(fuse_activation,
               {.kinds = {"went into the epilogue of Conv",
                          "went into the epilogue of ConvTranspose",
                          "went into the epilogue of Gemm", "went into the epilogue of MatMul",
                          "went into the epilogue of Add", "went into the epilogue of Sub",
                          "went into the epilogue of Mul", "went into the epilogue of Div"},
                .share = 2}) {
  const DType dtype = draw.pick(kFloats);
  V x;
  if (draw.one_in(3)) {
    x = product(draw, dtype);
  } else {
    const Dims dims = draw.dims(0, 3);
    Dims other = draw.one_in(3) && !dims.empty() ? Dims{dims.back()} : dims;
    if (draw.one_in(6)) other.insert(other.begin(), 1);
    x = draw.emit(draw.pick({"Add", "Sub", "Mul", "Div"}),
                  {draw.value(dtype, dims), draw.value(dtype, other)});
  }
  const int64_t count = draw.one_in(6) ? 4 + draw.below(3) : 1 + draw.below(2);
  for (int64_t i = 0; i < count; ++i) x = activation(draw, x);
}

}  // namespace planish::passes
