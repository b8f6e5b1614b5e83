// What hands its input through, and what only looks like it.
#include "base/elements.h"
#include "passes/random_graphs_test.h"

namespace planish::passes {
namespace {

// x op constant, from either side: neutral, of the wrong sign of zero, larger than x, of one
// element.
V arithmetic(Draw& draw) {
  const DType dtype = draw.pick(kNumbers);
  const Dims dims = draw.dims(0, 3);
  const V x = draw.value(dtype, dims);
  Dims shape;
  if (draw.one_in(2)) shape = dims;
  if (draw.one_in(4)) shape.insert(shape.begin(), 1);
  if (draw.one_in(4) && !shape.empty()) shape.back() = 1;
  constexpr std::array kNeutral = {1.0, 1.0, 0.0, -0.0};
  const std::vector<double> values(static_cast<size_t>(element_count(shape)), draw.pick(kNeutral));
  const V k = draw.constant(from_doubles(dtype, shape, values));
  const char* op = draw.pick({"Mul", "Div", "Add", "Sub"});
  return draw.one_in(3) ? draw.emit(op, {k, x}) : draw.emit(op, {x, k});
}

V dropout(Draw& draw, V x) {
  std::vector<V> inputs = {x};
  if (draw.one_in(2)) inputs.push_back(draw.constant(Tensor::scalar(0.5f)));
  if (inputs.size() > 1 && draw.one_in(2)) {
    const Tensor training = Tensor::scalar<bool>(draw.one_in(6));
    inputs.push_back(draw.one_in(6) ? draw.open(training) : draw.constant(training));
  }
  return draw.pick(
      draw.emit_many("Dropout", std::move(inputs), static_cast<size_t>(1 + draw.below(2))));
}

// Shape operators that keep the shape, or not.
V movement(Draw& draw) {
  const Dims dims = draw.dims(draw.one_in(6) ? 0 : 1, 3);
  const auto rank = static_cast<int64_t>(dims.size());
  const V x = draw.value(draw.pick(kTypes), dims);
  const Ints ones(dims.size(), 1);
  switch (draw.below(6)) {
    case 0:
      return draw.emit("Expand", {x, draw.hidden_ints(draw.one_in(2) ? ones : Ints{1})});
    case 1:
      return draw.emit("Tile", {x, draw.hidden_ints(ones)});
    case 2:
      return draw.emit("Flatten", {x}, with("axis", draw.below(2 * rank + 1) - rank));
    case 3:
      return draw.emit("Reshape",
                       {x, draw.hidden_ints(draw.one_in(2) ? Ints(dims.size(), 0) : dims)},
                       draw.one_in(4) ? with("allowzero", int64_t{1}) : Attributes());
    case 4:
      return draw.emit("Squeeze", {x, draw.hidden_ints({})});
    default:
      return draw.emit("Reshape", {x, draw.hidden_ints(dims)});
  }
}

V transpose(Draw& draw) {
  const Dims dims = draw.dims(0, 3);
  const V x = draw.value(draw.pick(kTypes), dims);
  if (draw.one_in(4)) return draw.emit("Transpose", {x});
  Ints perm(dims.size());
  for (size_t i = 0; i < perm.size(); ++i) perm[i] = static_cast<int64_t>(i);
  if (perm.size() > 1 && draw.one_in(3)) std::swap(perm[0], perm[1]);
  return draw.emit("Transpose", {x}, with("perm", perm));
}

V slice(Draw& draw) {
  const Dims dims = draw.dims(1, 3);
  const auto rank = static_cast<int64_t>(dims.size());
  const V x = draw.value(draw.pick(kTypes), dims);
  const int64_t axis = draw.below(2 * rank) - rank;
  const int64_t size = dims[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
  const bool back = draw.one_in(4);
  const int64_t start = back ? -1 : draw.one_in(3) ? -size : draw.one_in(6) ? 1 : 0;
  const int64_t end = back ? INT64_MIN : draw.one_in(2) ? INT64_MAX : size;
  std::vector<V> inputs = {x, draw.hidden_ints({start}), draw.hidden_ints({end}),
                           draw.hidden_ints({axis})};
  if (back || draw.one_in(2)) inputs.push_back(draw.hidden_ints({back ? -1 : 1}));
  return draw.emit("Slice", std::move(inputs));
}

V pad(Draw& draw) {
  const Dims dims = draw.dims(1, 2);
  const V x = draw.value(draw.pick(kNumbers), dims);
  Ints pads(2 * dims.size(), 0);
  if (draw.one_in(3) && dims[0] > 0) {
    pads[0] = draw.below(3) - 1;
    pads[dims.size()] = -pads[0];
  }
  return draw.emit("Pad", {x, draw.hidden_ints(pads)},
                   draw.one_in(4)
                       ? with("mode", std::string(draw.pick({"edge", "reflect", "wrap"})))
                       : Attributes());
}

V alone(Draw& draw) {
  const DType dtype = draw.pick(kFloats);
  const Dims dims = draw.dims(1, 2);
  const V x = draw.value(dtype, dims);
  const char* op = draw.pick({"Concat", "Sum", "Max", "Min", "Mean"});
  std::vector<V> inputs = {x};
  if (draw.one_in(4)) inputs.push_back(draw.value(dtype, dims));
  return draw.emit(
      op, std::move(inputs),
      op == std::string_view("Concat") ? with("axis", draw.below(2) - 1) : Attributes());
}

V cast(Draw& draw) {
  const DType from = draw.pick(kTypes);
  const V x = draw.value(from, draw.dims(0, 2));
  const DType to = draw.one_in(3) ? draw.pick(kTypes) : from;
  if (draw.one_in(3)) return draw.emit("CastLike", {x, draw.value(to, {})});
  return draw.emit("Cast", {x}, with("to", static_cast<int64_t>(to)));
}

V split(Draw& draw) {
  const V x = draw.value(draw.pick(kTypes), {1 + draw.below(3), draw.dim()});
  const int64_t parts = draw.one_in(4) ? 2 : 1;
  return draw.emit_many("Split", {x}, static_cast<size_t>(parts), with("num_outputs", parts))[0];
}

V draw_one(Draw& draw) {
  switch (draw.below(13)) {
    case 0:
    case 1:
      return arithmetic(draw);
    case 2:
      return dropout(draw, draw.value(draw.pick(kFloats), draw.dims(0, 2)));
    case 3:
      return movement(draw);
    case 4:
      return transpose(draw);
    case 5:
    case 10:
    case 11:
      return slice(draw);
    case 6:
    case 12:
      return pad(draw);
    case 7:
      return alone(draw);
    case 8:
      return cast(draw);
    default:
      return split(draw);
  }
}

}  // namespace

PLANISH_GRAPHS(eliminate_identity,
               {.kinds = {"removed *: it copies", "removed Dropout: at inference it copies",
                          "removed *: the type stays", "removed *: it has one input",
                          "removed Split: it has one output",
                          "removed *: its constant changes nothing",
                          "removed Transpose: it moves no axis", "removed *: the shape stays",
                          "removed Slice: it takes everything", "removed Pad: it adds nothing"},
                .share = 2}) {
  for (int64_t i = 1 + draw.below(3); i > 0; --i) {
    const V y = draw_one(draw);
    if (draw.one_in(3)) draw.surround(y);
  }
}

}  // namespace planish::passes
