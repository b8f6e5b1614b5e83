// Chains of Transpose.
#include <algorithm>

#include "passes/random_graphs_test.h"

namespace planish::passes {

PLANISH_GRAPHS(merge_transposes, {.kinds = {"joined with the transposition *"}, .share = 2}) {
  V x = draw.value(draw.pick(kTypes), draw.dims(0, 4));
  for (int64_t i = 2 + draw.below(2); i > 0; --i) {
    Ints perm(draw.dims_of(x).size());
    for (size_t axis = 0; axis < perm.size(); ++axis) {
      perm[axis] = static_cast<int64_t>(axis);
      std::swap(perm[axis], perm[static_cast<size_t>(draw.below(perm[axis] + 1))]);
    }
    x = draw.one_in(4) ? draw.emit("Transpose", {x})
                       : draw.emit("Transpose", {x}, with("perm", perm));
    if (draw.one_in(6)) x = draw.surround(x);
  }
}

}  // namespace planish::passes
