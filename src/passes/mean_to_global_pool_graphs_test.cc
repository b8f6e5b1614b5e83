// Means over both image axes, and over others.
#include "passes/random_graphs_test.h"

namespace planish::passes {

PLANISH_GRAPHS(mean_to_global_pool,
               {.kinds = {"wrote the mean over both image axes as GlobalAveragePool"},
                .share = 2}) {
  const DType dtype = draw.one_in(6) ? draw.pick(kNumbers) : draw.pick(kFloats);
  const V x = draw.value(dtype, draw.one_in(6) ? draw.dims(2, 4) : draw.dims(4, 4));
  const std::array<Ints, 9> axes = {Ints{2, 3},  Ints{-1, -2},  Ints{3, 2},
                                    Ints{-2, 3}, Ints{2, -1},   Ints{1, 2},
                                    Ints{3},     Ints{1, 2, 3}, Ints{}};
  Attributes attributes;
  if (!draw.one_in(3)) attributes.set("keepdims", draw.below(2));
  if (draw.one_in(6)) attributes.set("noop_with_empty_axes", draw.below(2));
  std::vector<V> inputs = {x};
  if (!draw.one_in(12)) inputs.push_back(draw.hidden_ints(draw.pick(axes)));
  draw.surround(draw.emit("ReduceMean", std::move(inputs), std::move(attributes)));
}

}  // namespace planish::passes
