// Ifs of constant and open conditions, one in another, whose branches hand captures and constants
// straight out.
#include "passes/random_products_test.h"

namespace planish::passes {
namespace {

void inner(Draw& draw) {
  const V x = draw.value(draw.pick(kTypes), draw.dims(0, 2));
  V y = draw.surround(x);
  if (draw.one_in(3)) draw.surround(y);
  if (draw.one_in(4)) draw.surround(draw.constant(draw.dtype_of(x), draw.dims_of(x)));
  if (draw.one_in(6)) product(draw, DType::kFloat32);
}

void outer(Draw& draw) {
  inner(draw);
  draw.branch(draw.one_in(3) ? draw.open(Tensor::scalar(draw.one_in(2)))
                             : draw.constant(Tensor::scalar(draw.one_in(2))),
              &inner);
}

}  // namespace

PLANISH_GRAPHS(inline_if,
               {.kinds = {"replaced If by its then branch: the condition is constant",
                          "replaced If by its else branch: the condition is constant"}}) {
  const bool which = draw.one_in(2);
  const Tensor scalar = Tensor::scalar(which);
  const Tensor condition = draw.one_in(4) ? scalar.reshaped({1}) : scalar;
  const auto made = draw.branch(draw.one_in(6) ? draw.open(condition) : draw.constant(condition),
                                draw.one_in(3) ? &outer : &inner);
  if (draw.one_in(2)) draw.surround(draw.pick(made));
}

}  // namespace planish::passes
