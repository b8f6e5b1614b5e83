// Opset 1 repeated along one axis: inputs tiles and axis, of the type of the data.
#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_tile(InferContext& context) {
  const Shape* x = context.input_shape(0);
  const auto repeats = context.input_symbolic(1);
  if (x == nullptr) {
    const auto list = described_shape(context, 1);
    return set_shape(context, list ? std::optional<Shape>(
                                         fresh_shape(context, static_cast<int64_t>(list->size())))
                                   : std::nullopt);
  }
  if (!repeats) return set_shape(context, fresh_shape(context, static_cast<int64_t>(x->size())));
  if (repeats->elements.size() != x->size())
    context.fail(fmt::format("{} repeats for rank {}", repeats->elements.size(), x->size()));
  Shape out;
  for (size_t i = 0; i < x->size(); ++i) {
    const auto number = repeats->elements[i].constant();
    if (number && *number < 0) context.fail(fmt::format("repeat {} is negative", *number));
    out.push_back((*x)[i] * repeats->elements[i]);
  }
  set_shape(context, std::move(out));
}

void upgrade_tile(UpgradeContext& context) {
  if (context.from() >= 6) return;
  ir::Node& node = context.node();
  const Type x = context.input_type(0);
  if (node.inputs.size() != 3) return;
  if (!x.has_shape())
    fail(ErrorCode::kUnsupported, "Tile of opset {} needs an input of known rank", context.from());
  Attributes to;
  to.set("to", static_cast<int64_t>(DType::kInt64));
  const auto rank = static_cast<int64_t>(x.shape->size());
  const auto number = [&](size_t input, std::string_view name) {
    const ir::ValueId cast = context.emit("Cast", {context.node().inputs[input]}, to);
    const ir::ValueId one = context.constant(name, Tensor::of<int64_t>({1}, {int64_t{1}}));
    return context.emit("Reshape", {cast, one});
  };
  const ir::ValueId tiles = number(1, "one"), axis = number(2, "one");
  const std::vector<int64_t> ones(static_cast<size_t>(rank), 1);
  const ir::ValueId base = context.constant("ones", Tensor::of<int64_t>({rank}, ones));
  const ir::ValueId repeats = context.emit("ScatterElements", {base, axis, tiles});
  context.node().inputs.resize(1, ir::kNoValue);
  context.node().inputs.push_back(repeats);
}

}  // namespace

PLANISH_OPERATOR(tile) {
  OpDef d = mover("Tile");
  d.inputs.push_back(int64_input("repeats"));
  d.infer = &infer_tile;
  d.upgrade = &upgrade_tile;
  return d;
}

}  // namespace planish::ops
