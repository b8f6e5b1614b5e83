#include "ops/window.h"

#include <cmath>

#include "ops/shape_helpers.h"

namespace planish::ops {

using reference::AutoPad;

Shape window_output(const InferContext& context,
                    const reference::WindowAttributes& window,
                    std::span<const SizeExpr> input) {
  Shape output;
  for (size_t a = 0; a < window.rank(); ++a) {
    const SizeExpr& in = input[a];
    const SizeExpr stride = window.stride[a];
    if (window.auto_pad == AutoPad::kSameUpper || window.auto_pad == AutoPad::kSameLower) {
      output.push_back(SizeExpr::ceil_div(in, stride));
      continue;
    }
    const SizeExpr room = in + window.begin[a] + window.end[a] - window.extent(a);
    if (room.constant().value_or(0) < 0) {
      context.fail(fmt::format(
          "a window of {} cells does not fit into spatial axis {}: size {}, pads {} and {}",
          window.extent(a), a, in.to_string(), window.begin[a], window.end[a]));
    }
    if (!window.ceil_mode || window.auto_pad == AutoPad::kValid) {
      output.push_back(SizeExpr::floor_div(room, stride) + 1);
      continue;
    }
    // A window that would start in the padding at the end is left out: at most
    // ceil((in + begin) / stride) windows start before it.
    output.push_back(SizeExpr::min(SizeExpr::ceil_div(room, stride) + 1,
                                   SizeExpr::ceil_div(in + window.begin[a], stride)));
  }
  return output;
}

std::optional<Dims> known_kernel(const InferContext& context, size_t weight) {
  const Shape* w = context.input_shape(weight);
  if (!w || w->size() < 3) return std::nullopt;
  return constant_dims(Shape(w->begin() + 2, w->end()));
}

std::optional<Shape> convolution_shape(InferContext& context, size_t x, size_t w) {
  const int64_t groups = context.attributes().get_int("group", 1);
  if (groups < 1) context.fail(fmt::format("group is {}; it must be positive", groups));
  const Shape *xs = context.input_shape(x), *ws = context.input_shape(w);
  if (xs && xs->size() < 3) {
    context.fail(fmt::format("the input {} must have rank 3 or more", to_string(*xs)));
  }
  if (ws && ws->size() < 3) {
    context.fail(fmt::format("the weight {} must have rank 3 or more", to_string(*ws)));
  }
  if (xs && ws && xs->size() != ws->size()) {
    context.fail(
        fmt::format("input {} and weight {} differ in rank", to_string(*xs), to_string(*ws)));
  }
  if (ws) {
    const std::optional<int64_t> outputs = (*ws)[0].constant();
    if (outputs && *outputs % groups != 0) {
      context.fail(fmt::format("{} output channels do not split into {} groups", *outputs, groups));
    }
  }
  if (xs && ws)
    same_dim(context, (*xs)[1], (*ws)[1] * groups, "input channels and weight channels * group");
  if (!xs) return std::nullopt;
  const size_t rank = xs->size() - 2;
  const std::optional<Dims> kernel = known_kernel(context, w);
  Shape shape = {(*xs)[0], ws ? (*ws)[0] : context.fresh_dim()};
  if (!kernel && context.attributes().get_ints("kernel_shape").empty()) {
    for (SizeExpr& dim : fresh_shape(context, static_cast<int64_t>(rank))) shape.push_back(dim);
    return shape;
  }
  const reference::WindowAttributes window =
      reference::read_window(context.attributes(), rank, kernel ? &*kernel : nullptr);
  for (SizeExpr& dim : window_output(context, window, std::span(*xs).subspan(2))) {
    shape.push_back(std::move(dim));
  }
  return shape;
}

std::optional<Shape> pooling_shape(InferContext& context) {
  const Shape* x = context.input_shape(0);
  if (!x) return std::nullopt;
  if (x->size() < 3)
    context.fail(fmt::format("the input {} must have rank 3 or more", to_string(*x)));
  const reference::WindowAttributes window =
      reference::read_window(context.attributes(), x->size() - 2, nullptr);
  Shape shape = {(*x)[0], (*x)[1]};
  for (SizeExpr& dim : window_output(context, window, std::span(*x).subspan(2))) {
    shape.push_back(std::move(dim));
  }
  return shape;
}

void check_bias(const InferContext& context, size_t bias, const SizeExpr& channels) {
  const Shape* b = context.input_shape(bias);
  if (!b) return;
  if (b->size() != 1) {
    context.fail(fmt::format("the bias {} must have rank 1", to_string(*b)));
  }
  same_dim(context, (*b)[0], channels, "the bias and the output channels");
}

double convolution_flops(const Dims& weight, const Dims& output) {
  double flops = 2;
  for (const int64_t d : output) flops *= static_cast<double>(d);
  for (size_t i = 1; i < weight.size(); ++i) flops *= static_cast<double>(weight[i]);
  return flops;
}

Cost pooling_cost(const ir::Node& node, std::span<const Dims>, std::span<const Dims> outputs) {
  double flops = 1;
  for (const int64_t d : outputs[0]) flops *= static_cast<double>(d);
  for (const int64_t k : node.attributes.get_ints("kernel_shape")) flops *= static_cast<double>(k);
  return {flops};
}

Cost global_pooling_cost(const ir::Node&, std::span<const Dims> inputs, std::span<const Dims>) {
  double flops = 1;
  for (const int64_t d : inputs[0]) flops *= static_cast<double>(d);
  return {flops};
}

void infer_global_pool(InferContext& context) {
  std::optional<Shape> shape;
  if (const Shape* x = context.input_shape(0)) {
    if (x->size() < 2)
      context.fail(fmt::format("the input {} must have rank 2 or more", to_string(*x)));
    shape = Shape(x->size(), 1);
    (*shape)[0] = (*x)[0], (*shape)[1] = (*x)[1];
  }
  context.set_output(0, tensor_type(context.input_dtype(0), shape));
}

void upgrade_norm_order(UpgradeContext& context) {
  Attributes& attributes = context.node().attributes;
  const Attribute* p = attributes.find("p");
  const float* order = p ? std::get_if<float>(p) : nullptr;
  if (!order || context.from() >= 2) return;
  if (*order != std::floor(*order) || *order < 1 || *order > 1e6f) {
    fail(ErrorCode::kUnsupported, "{}: the order p = {} of opset 1 has no form in later opsets",
         context.node().op, *order);
  }
  attributes.set("p", static_cast<int64_t>(*order));
}

std::vector<AttrSpec> window_attributes(std::vector<AttrSpec> extra) {
  std::vector<AttrSpec> list = {{"auto_pad", AttrKind::kString},
                                {"dilations", AttrKind::kInts},
                                {"kernel_shape", AttrKind::kInts},
                                {"pads", AttrKind::kInts},
                                {"strides", AttrKind::kInts}};
  list.insert(list.end(), extra.begin(), extra.end());
  return list;
}

}  // namespace planish::ops
