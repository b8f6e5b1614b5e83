// k was an attribute up to opset 9.
#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_top_k(InferContext& context) {
  const DType dtype = context.input_dtype(0);
  std::optional<Shape> out;
  if (const Shape* x = context.input_shape(0)) {
    out = *x;
    const auto axis = static_cast<size_t>(normalize_axis(
        context, context.attributes().get_int("axis", -1), static_cast<int64_t>(x->size())));
    const auto k = context.input_symbolic(1);
    const bool known = k && k->elements.size() == 1;
    const std::optional<int64_t> number = known ? k->elements[0].constant() : std::nullopt;
    const std::optional<int64_t> extent = (*x)[axis].constant();
    if (number && (*number < 0 || (extent && *number > *extent)))
      context.fail(fmt::format("k is {}, the axis has {}", *number, (*x)[axis].to_string()));
    (*out)[axis] = known ? k->elements[0] : context.fresh_dim();
  }
  context.set_output(0, tensor_type(dtype, out));
  context.set_output(1, tensor_type(DType::kInt64, std::move(out)));
}

void upgrade_top_k(UpgradeContext& context) {
  ir::Node& node = context.node();
  if (context.from() >= 10 || !node.attributes.has("k")) return;
  const int64_t k = node.attributes.get_int("k");
  node.attributes.erase("k");
  const ir::ValueId constant = context.constant("k", Tensor::of<int64_t>({1}, {k}));
  context.node().inputs.resize(1, ir::kNoValue);
  context.node().inputs.push_back(constant);
}

}  // namespace

PLANISH_OPERATOR(top_k) {
  OpDef d;
  d.name = "TopK";
  d.inputs = {{"X", Arity::kRequired, kAnyNumeric, "T"}, int64_input("K")};
  d.outputs = {{"Values", Arity::kRequired, kAnyNumeric, "T"},
               {"Indices", Arity::kRequired, type_bit(DType::kInt64)}};
  d.attributes = {
      {"axis", AttrKind::kInt}, {"largest", AttrKind::kInt}, {"sorted", AttrKind::kInt}};
  d.legacy_attributes = {"k"};
  d.infer = &infer_top_k;
  d.upgrade = &upgrade_top_k;
  return d;
}

}  // namespace planish::ops
