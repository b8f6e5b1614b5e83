// The sizes were an attribute up to opset 12 (in opset 1 an input too, of the type of the data).
#include "ops/movement.h"

namespace planish::ops {

namespace {

// The sizes along an axis of `extent`; nothing when they cannot be told.
std::optional<Shape> sizes_of(InferContext& context, const SizeExpr& extent) {
  const auto outputs = static_cast<int64_t>(context.output_count());
  if (context.has_input(1)) {
    auto content = context.input_symbolic(1);
    if (!content) return std::nullopt;
    if (static_cast<int64_t>(content->elements.size()) != outputs)
      context.fail(fmt::format("{} sizes for {} outputs", content->elements.size(), outputs));
    SizeExpr sum = 0;
    for (const SizeExpr& size : content->elements) sum = sum + size;
    if (sum.is_constant() && extent.is_constant() && sum != extent)
      context.fail(fmt::format("the sizes add up to {}, the axis has {}", sum.to_string(),
                               extent.to_string()));
    return std::move(content->elements);
  }
  const int64_t parts = context.attributes().get_int("num_outputs", outputs);
  if (parts < 1 || parts < outputs)
    context.fail(fmt::format("num_outputs is {} with {} outputs", parts, outputs));
  // Equal parts, rounded up; what is left goes to the last ones.
  const SizeExpr size = SizeExpr::ceil_div(extent, parts);
  Shape sizes;
  for (int64_t i = 0; i < outputs; ++i) {
    if (i == 0 || size * parts == extent) {
      sizes.push_back(size);
      continue;
    }
    const SizeExpr left = extent - size * i;  // below 0 only from the third part on
    sizes.push_back(parts == 2 ? left : SizeExpr::min(size, SizeExpr::max(left, 0)));
  }
  return sizes;
}

void infer_split(InferContext& context) {
  const DType dtype = context.input_dtype(0);
  const Shape* x = context.input_shape(0);
  if (x == nullptr) {
    for (size_t i = 0; i < context.output_count(); ++i) context.set_output(i, Type::tensor(dtype));
    return;
  }
  const auto axis = static_cast<size_t>(normalize_axis(
      context, context.attributes().get_int("axis", 0), static_cast<int64_t>(x->size())));
  const std::optional<Shape> sizes = sizes_of(context, (*x)[axis]);
  for (size_t i = 0; i < context.output_count(); ++i) {
    Shape out = *x;
    out[axis] = sizes ? (*sizes)[i] : context.fresh_dim();
    context.set_output(i, Type::tensor(dtype, std::move(out)));
  }
  const auto content = context.input_symbolic(0);
  const auto lengths = sizes ? constant_dims(*sizes) : std::nullopt;
  if (!content || !lengths || content->dims.size() != 1) return;
  auto next = content->elements.begin();
  for (size_t i = 0; i < lengths->size(); ++i) {
    const int64_t n = (*lengths)[i];
    if (n < 0 || n > content->elements.end() - next) return;
    context.set_symbolic(i, {{n}, {next, next + n}});
    next += n;
  }
}

void upgrade_split(UpgradeContext& context) {
  if (context.from() < 13) attribute_to_input(context, "split", 1);
  ir::Node& node = context.node();
  if (context.from() < 2 && node.inputs.size() > 1 && node.inputs[1] != ir::kNoValue &&
      context.input_type(1).dtype != DType::kInt64) {
    Attributes to;
    to.set("to", static_cast<int64_t>(DType::kInt64));
    const ir::ValueId sizes = context.emit("Cast", {node.inputs[1]}, to);
    context.node().inputs[1] = sizes;
  }
}

}  // namespace

PLANISH_OPERATOR(split) {
  OpDef d = mover("Split");
  d.inputs.push_back(int64_input("split", Arity::kOptional));
  d.outputs = {{"outputs", Arity::kVariadic, kAnyTensor, "T"}};
  d.attributes = {{"axis", AttrKind::kInt}, {"num_outputs", AttrKind::kInt}};
  d.legacy_attributes = {"split"};
  d.infer = &infer_split;
  d.upgrade = &upgrade_split;
  return d;
}

}  // namespace planish::ops
