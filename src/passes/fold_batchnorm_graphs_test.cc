// BatchNormalization behind products: parameters that are not constant, shared, not finite, of zero
// variance; middle values that are read elsewhere.
#include <cmath>

#include "base/elements.h"
#include "passes/random_products_test.h"

namespace planish::passes {

PLANISH_GRAPHS(fold_batchnorm,
               {.kinds = {"folded into the weights of Conv",
                          "folded into the weights of ConvTranspose",
                          "folded into the weights of Gemm", "folded into the weights of MatMul"},
                .inexact = {"folded into the weights of *"},
                .share = 11}) {
  const DType dtype = draw.pick(kFloats);
  V x = product(draw, dtype);
  if (draw.one_in(10)) x = draw.surround(x);
  const Dims& dims = draw.dims_of(x);
  const Dims channels = {dims.size() > 1 ? dims[1] : 1};
  Tensor variance = draw.tensor(dtype, channels);
  if (!draw.one_in(8)) {
    std::vector<double> values = to_doubles(variance);
    for (double& v : values) v = std::abs(v) + 0.25;
    variance = from_doubles(dtype, channels, values);
  }
  Attributes attributes;
  if (draw.one_in(3)) attributes.set("epsilon", draw.one_in(2) ? 0.0f : 0.125f);
  if (draw.one_in(12)) attributes.set("training_mode", draw.below(2));
  std::vector<V> inputs = {x};
  for (int i = 0; i < 3; ++i) {
    inputs.push_back(draw.one_in(24) ? draw.value(dtype, channels)
                                     : draw.constant(dtype, channels));
  }
  inputs.push_back(draw.constant(std::move(variance)));
  const V y = draw.emit("BatchNormalization", std::move(inputs), std::move(attributes));
  if (draw.one_in(3)) draw.surround(y);
}

}  // namespace planish::passes
