// Chains that nobody reads, nodes of which one output is read, captures that only dead nodes use.
#include "passes/random_graphs_test.h"

namespace planish::passes {
namespace {

void leave_some(Draw& draw) {
  V x = draw.value(draw.pick(kTypes), draw.dims(0, 3));
  for (int64_t i = 1 + draw.below(4); i > 0; --i) {
    x = draw.surround(draw.one_in(4) ? draw.value(draw.dtype_of(x), draw.dims_of(x)) : x);
  }
  if (draw.one_in(3)) {
    const V split = draw.value(draw.pick(kTypes), {4, draw.dim()});
    draw.surround(draw.pick(draw.emit_many("Split", {split}, 2, with("num_outputs", int64_t{2}))));
  }
}

}  // namespace

PLANISH_GRAPHS(eliminate_dead,
               {.kinds = {"removed *: nobody reads it",
                          "dropped the capture of *: no block reads it"}}) {
  switch (draw.below(4)) {
    case 0:
      draw.branch(draw.open(Tensor::scalar(draw.one_in(2))), &leave_some);
      break;
    case 1:
      draw.loop(&leave_some);
      break;
    default:
      leave_some(draw);
  }
}

}  // namespace planish::passes
