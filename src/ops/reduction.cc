#include "ops/reduction.h"

namespace planish::ops {

namespace {

template <int axes_input>
void upgrade_reduction(UpgradeContext& context) {
  if (context.from() < axes_input) attribute_to_input(context, "axes", 1);
}

// Which axes go; nothing when that is decided at run time.
std::optional<std::vector<bool>> reduced_axes(const InferContext& context, size_t rank) {
  std::vector<bool> out(rank, false);
  std::vector<int64_t> axes;
  if (context.has_input(1)) {
    const auto given = context.input_ints(1);
    if (!given) return std::nullopt;
    axes = normalize_axes(context, *given, static_cast<int64_t>(rank));
  }
  if (axes.empty() && context.attributes().get_int("noop_with_empty_axes", 0) == 0)
    out.assign(rank, true);
  for (const int64_t axis : axes) out[static_cast<size_t>(axis)] = true;
  return out;
}

Shape without(const Shape& x, const std::vector<bool>& gone, bool keep) {
  Shape out;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!gone[i])
      out.push_back(x[i]);
    else if (keep)
      out.push_back(1);
  }
  return out;
}

void infer_arg(InferContext& context) {
  std::optional<Shape> shape;
  if (const Shape* x = context.input_shape(0)) {
    const int64_t axis = normalize_axis(context, context.attributes().get_int("axis", 0),
                                        static_cast<int64_t>(x->size()));
    std::vector<bool> gone(x->size(), false);
    gone[static_cast<size_t>(axis)] = true;
    shape = without(*x, gone, context.attributes().get_int("keepdims", 1) != 0);
  }
  context.set_output(0, tensor_type(DType::kInt64, std::move(shape)));
}

}  // namespace

void infer_reduction(InferContext& context) {
  const Shape* x = context.input_shape(0);
  if (x == nullptr) return set_shape(context, std::nullopt);
  const bool keep = context.attributes().get_int("keepdims", 1) != 0;
  const auto gone = reduced_axes(context, x->size());
  if (gone) return set_shape(context, without(*x, *gone, keep));
  if (keep) return set_shape(context, fresh_shape(context, static_cast<int64_t>(x->size())));
  set_shape(context, std::nullopt);
}

void infer_reduction_of_sizes(InferContext& context, SymbolicFn fn, std::optional<SizeExpr> start) {
  infer_reduction(context);
  const auto content = context.input_symbolic(0);
  if (!content || content->dims.size() > 1) return;
  const auto gone = reduced_axes(context, content->dims.size());
  if (!gone || (!gone->empty() && !gone->front())) return;
  std::optional<SizeExpr> total = std::move(start);
  try {
    for (const SizeExpr& e : content->elements) total = total ? fn(*total, e) : e;
  } catch (const Error&) {
    return;  // does not fit 64 bits
  }
  if (!total) return;
  const bool keep = context.attributes().get_int("keepdims", 1) != 0;
  context.set_symbolic(0, {Dims(keep ? content->dims.size() : 0, 1), {*total}});
}

Cost cost_per_input(const ir::Node&, std::span<const Dims> inputs, std::span<const Dims>) {
  double flops = 1;
  for (const int64_t dim : inputs[0]) flops *= static_cast<double>(dim);
  return {flops};
}

OpDef reduction(std::string_view name, TypeSet types, int axes_input) {
  OpDef d;
  d.name = name;
  d.inputs = {{"data", Arity::kRequired, types, "T"}, int64_input("axes", Arity::kOptional)};
  d.outputs = {{"reduced", Arity::kRequired, types, "T"}};
  d.attributes = {{"keepdims", AttrKind::kInt}, {"noop_with_empty_axes", AttrKind::kInt}};
  d.legacy_attributes = {"axes"};
  d.infer = &infer_reduction;
  d.upgrade = axes_input == 13 ? &upgrade_reduction<13> : &upgrade_reduction<18>;
  d.cost = &cost_per_input;
  return d;
}

OpDef arg_reduction(std::string_view name) {
  OpDef d;
  d.name = name;
  d.inputs = {{"data", Arity::kRequired, kAnyNumeric}};
  d.outputs = {{"reduced", Arity::kRequired, type_bit(DType::kInt64)}};
  d.attributes = {{"axis", AttrKind::kInt},
                  {"keepdims", AttrKind::kInt},
                  {"select_last_index", AttrKind::kInt}};
  d.infer = &infer_arg;
  d.cost = &cost_per_input;
  return d;
}

}  // namespace planish::ops
