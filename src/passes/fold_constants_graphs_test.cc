// Nodes of constants, and arithmetic over shapes that are known, open or partly open.
#include "base/elements.h"
#include "passes/random_graphs_test.h"

namespace planish::passes {
namespace {

V constants(Draw& draw) {
  const DType dtype = draw.pick(kNumbers);
  const Dims dims = draw.dims(0, 3);
  V x = draw.constant(dtype, dims);
  for (int64_t i = 1 + draw.below(3); i > 0; --i) {
    const V y = draw.one_in(4) ? draw.value(dtype, dims) : draw.constant(dtype, dims);
    switch (draw.below(6)) {
      case 0:
        x = draw.emit(draw.pick({"Mul", "Sub", "Min", "Max"}), {x, x});
        break;
      case 1:
        x = draw.emit("Cast", {x}, with("to", static_cast<int64_t>(dtype)));
        break;
      case 2:
        x = draw.emit("Where",
                      {draw.constant(DType::kBool, dims), x, draw.dims_of(x) == dims ? y : x});
        break;
      case 3:
        x = draw.surround(x);
        break;
      default:
        x = draw.emit("Add", {x, draw.dims_of(x) == dims ? y : x});
    }
    if (draw.dtype_of(x) != dtype) break;
  }
  return x;
}

// Quantized weights stay as they are.
V quantized(Draw& draw) {
  const V x = draw.constant(DType::kInt8, draw.dims(0, 2));
  return draw.emit("DequantizeLinear", {x, draw.constant(Tensor::scalar(0.5f))});
}

V sizes(Draw& draw) {
  const V x = draw.value(draw.pick(kTypes), draw.dims(1, 3));
  const auto rank = static_cast<int64_t>(draw.dims_of(x).size());
  Attributes range;
  if (draw.one_in(4)) range.set("start", draw.below(2 * rank) - rank);
  if (draw.one_in(4)) range.set("end", draw.below(2 * rank) - rank);
  V s = draw.one_in(6) ? draw.emit("Size", {x}) : draw.emit("Shape", {x}, std::move(range));
  for (int64_t i = 1 + draw.below(3); i > 0; --i) {
    const Dims dims = draw.dims_of(s);
    const int64_t count = element_count(dims);
    const V number = draw.constant(Tensor::scalar<int64_t>(draw.below(5) - 1));
    switch (draw.below(10)) {
      case 0:
        if (!dims.empty() && count > 0) {
          s = draw.emit("Gather",
                        {s, draw.constant(Tensor::scalar<int64_t>(draw.below(2 * count) - count))});
        }
        break;
      case 1:
        if (!dims.empty())
          s = draw.emit("Concat", {s, draw.ints({draw.dim()})}, with("axis", int64_t{0}));
        break;
      case 2:
        if (!dims.empty()) {
          s = draw.emit("Slice", {s, draw.ints({draw.below(5) - 2}), draw.ints({draw.below(7) - 3}),
                                  draw.ints({0}), draw.ints({draw.one_in(4) ? -1 : 1})});
        }
        break;
      case 3:
        s = draw.emit("Cast", {s}, with("to", int64_t{draw.one_in(2) ? 6 : 7}));
        if (draw.dtype_of(s) == DType::kInt32) s = draw.emit("Cast", {s}, with("to", int64_t{7}));
        break;
      case 4:
        s = dims.empty() ? draw.emit("Unsqueeze", {s, draw.ints({0})})
                         : draw.emit("ReduceProd", {s}, with("keepdims", draw.below(2)));
        break;
      case 5:
        s = draw.emit(draw.pick({"Div", "Mod"}), {s, number});
        break;
      case 6:
        s = draw.emit(draw.pick({"Max", "Min"}), {s, number});
        break;
      case 7:
        s = draw.emit("Sub", {number, s});
        break;
      default:
        s = draw.emit(draw.pick({"Add", "Mul", "Sub", "Mul"}), {s, number});
    }
  }
  const Dims dims = draw.dims_of(s);
  bool small = dims.size() == 1 && dims[0] <= 4;
  for (const int64_t n : to_ints(draw.at(s))) small &= n >= 0 && n <= 6;
  if (small && draw.one_in(2)) {
    return draw.one_in(2) ? draw.emit("ConstantOfShape", {s})
                          : draw.emit("Expand", {draw.value(DType::kFloat32, {}), s});
  }
  return s;
}

}  // namespace

PLANISH_GRAPHS(fold_constants,
               {.kinds = {"folded * of constants", "replaced *: its content is known"},
                .share = 2}) {
  const V x = draw.one_in(12) ? quantized(draw) : draw.one_in(2) ? sizes(draw) : constants(draw);
  if (draw.one_in(3)) draw.surround(x);
}

}  // namespace planish::passes
