#include <cmath>
#include <numeric>

#include "base/elements.h"
#include "ops/resize_legacy.h"
#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

// in * scale, rounded down, as float32 arithmetic has it where `in` is known; exact for symbols
// when the scale is a multiple of 1/64 (2, 0.5, 1.25), else unknown.
SizeExpr scaled(InferContext& context, const SizeExpr& in, float scale) {
  if (const std::optional<int64_t> n = in.constant()) {
    const float length = std::floor(static_cast<float>(*n) * scale);
    if (!(length < 9e18f))
      context.fail(fmt::format("scale {} of length {} is too large", scale, *n));
    return static_cast<int64_t>(length);
  }
  constexpr int64_t kDenominator = 64;
  const double numerator = static_cast<double>(scale) * kDenominator;
  if (numerator != std::floor(numerator) || numerator > 1e6) return context.fresh_dim();
  return SizeExpr::floor_div(in * static_cast<int64_t>(numerator), kDenominator);
}

std::vector<int64_t> resized_axes(const InferContext& context, int64_t rank) {
  const Ints& axes = context.attributes().get_ints("axes");
  if (!axes.empty()) return normalize_axes(context, axes, rank);
  std::vector<int64_t> all(static_cast<size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// False when the input is omitted or known to be empty.
bool present(const InferContext& context, size_t i) {
  if (!context.has_input(i)) return false;
  const Shape* shape = context.input_shape(i);
  return !shape || shape->empty() || (*shape)[0] != SizeExpr(0);
}

void infer_resize(InferContext& context) {
  const DType dtype = context.input_dtype(0);
  const Shape* x = context.input_shape(0);
  if (!present(context, 2) && !present(context, 3))
    context.fail("one of scales and sizes must be given");
  if (!x) {
    context.set_output(0, Type::tensor(dtype));
    return;
  }
  Shape y = *x;
  const std::vector<int64_t> axes = resized_axes(context, static_cast<int64_t>(x->size()));
  const bool stretch =
      context.attributes().get_string("keep_aspect_ratio_policy", "stretch") == "stretch";
  const Tensor* scales = present(context, 2) ? context.input_constant(2) : nullptr;
  const std::optional<ir::SymbolicTensor> sizes =
      present(context, 3) ? context.input_symbolic(3) : std::nullopt;
  const auto wrong_count = [&](size_t count) {
    if (count != axes.size())
      context.fail(fmt::format("{} scales or sizes for {} axes", count, axes.size()));
  };
  if (scales) wrong_count(static_cast<size_t>(scales->size()));
  if (sizes) wrong_count(sizes->elements.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    SizeExpr& dim = y[static_cast<size_t>(axes[i])];
    if (scales) {
      const auto scale = static_cast<float>(load_double(*scales, static_cast<int64_t>(i)));
      if (!(scale > 0) || !std::isfinite(scale))
        context.fail(fmt::format("scale {} is not a positive number", scale));
      dim = scaled(context, dim, scale);
    } else if (sizes && stretch) {
      dim = sizes->elements[i];
      if (dim.constant().value_or(0) < 0)
        context.fail(fmt::format("size {} is negative", dim.to_string()));
    } else {
      dim = context.fresh_dim();
    }
  }
  context.set_output(0, Type::tensor(dtype, std::move(y)));
}

void upgrade_resize(UpgradeContext& context) {
  ir::Node& node = context.node();
  if (context.from() < 11) {
    upgrade_to_resize(context);
    return;
  }
  // An empty roi, scales or sizes was the way to omit it.
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const Tensor* t = node.inputs[i] == ir::kNoValue ? nullptr : context.input_constant(i);
    if (t && t->size() == 0) node.inputs[i] = ir::kNoValue;
  }
}

// Linear and cubic read 2 and 4 neighbours along each axis.
Cost cost_resize(const ir::Node& node,
                 std::span<const Dims> inputs,
                 std::span<const Dims> outputs) {
  const std::string mode = node.attributes.get_string("mode", "nearest");
  const double taps = mode == "nearest" ? 0 : mode == "linear" ? 2 : 4;
  double flops = 1, axes = 0;
  for (size_t i = 0; i < outputs[0].size(); ++i) {
    flops *= static_cast<double>(outputs[0][i]);
    axes += inputs[0][i] != outputs[0][i] ? 1 : 0;
  }
  return {flops * (1 + 2 * taps * axes)};
}

}  // namespace

PLANISH_OPERATOR(resize) {
  const TypeSet floats =
      type_bit(DType::kFloat16) | type_bit(DType::kFloat32) | type_bit(DType::kFloat64);
  OpDef d;
  d.name = "Resize";
  d.since = 10;
  d.inputs = {{"X", Arity::kRequired, kAnyTensor, "T1"},
              {"roi", Arity::kOptional, floats},
              {"scales", Arity::kOptional, type_bit(DType::kFloat32)},
              {"sizes", Arity::kOptional, type_bit(DType::kInt64)}};
  d.outputs = {{"Y", Arity::kRequired, kAnyTensor, "T1"}};
  d.attributes = {{"antialias", AttrKind::kInt},
                  {"axes", AttrKind::kInts},
                  {"coordinate_transformation_mode", AttrKind::kString},
                  {"cubic_coeff_a", AttrKind::kFloat},
                  {"exclude_outside", AttrKind::kInt},
                  {"extrapolation_value", AttrKind::kFloat},
                  {"keep_aspect_ratio_policy", AttrKind::kString},
                  {"mode", AttrKind::kString},
                  {"nearest_mode", AttrKind::kString}};
  d.infer = &infer_resize;
  d.upgrade = &upgrade_resize;
  d.cost = &cost_resize;
  return d;
}

}  // namespace planish::ops
