// Twins, and nodes that differ in an attribute, in the order of inputs, in a constant or its sign.
#include "passes/random_graphs_test.h"

namespace planish::passes {
namespace {

Attributes maybe_alpha(Draw& draw) {
  constexpr std::array kAlpha = {0.5f, 0.5f, 0.0f, -0.0f};
  return draw.one_in(4) ? Attributes() : with("alpha", draw.pick(kAlpha));
}

// Equal content, but not always one constant.
V parameter(Draw& draw, DType dtype) {
  const Tensor zero(dtype, {});
  return draw.constant(draw.one_in(3) ? draw.tensor(dtype, {}) : zero);
}

}  // namespace

PLANISH_GRAPHS(eliminate_common, {.kinds = {"computes the same as *"}}) {
  const DType dtype = draw.pick(kNumbers);
  const bool floating = is_floating(dtype);
  const Dims dims = draw.dims(0, 3);
  const auto rank = static_cast<int64_t>(dims.size());
  const V a = draw.value(dtype, dims), b = draw.value(dtype, dims);
  std::vector<V> twins;
  const int64_t kind = draw.below(7);
  for (int64_t i = 2 + draw.below(2); i > 0; --i) {
    switch (kind) {
      case 0:
        twins.push_back(draw.emit(draw.pick({"Add", "Sub", "Add"}),
                                  draw.one_in(4) ? std::vector{b, a} : std::vector{a, b}));
        break;
      case 1:
        if (!floating) return;
        twins.push_back(draw.emit("LeakyRelu", {a}, maybe_alpha(draw)));
        break;
      case 2:
        twins.push_back(draw.emit("Mul", {a, parameter(draw, dtype)}));
        break;
      case 3:
        if (rank == 0) return;
        twins.push_back(draw.emit("ReduceSum", {a, draw.ints({draw.one_in(3) ? -1 : rank - 1})},
                                  draw.one_in(4) ? with("keepdims", int64_t{0}) : Attributes()));
        break;
      case 4: {
        const V x = draw.one_in(6) ? b : a;
        twins.push_back(draw.emit_many("Dropout", {x}, static_cast<size_t>(1 + draw.below(2)))[0]);
        break;
      }
      case 5:
        twins.push_back(
            draw.emit("Cast", {a}, with("to", draw.one_in(3) ? int64_t{1} : int64_t{11})));
        break;
      default:
        twins.push_back(draw.emit("Concat", {a, b, a}, with("axis", rank == 0 ? 0 : rank - 1)));
    }
    if (draw.one_in(4)) twins.back() = draw.surround(twins.back());
  }
  if (draw.dtype_of(twins[0]) == draw.dtype_of(twins[1]) &&
      draw.dims_of(twins[0]) == draw.dims_of(twins[1])) {
    draw.emit("Add", {twins[0], twins[1]});
  }
}

}  // namespace planish::passes
