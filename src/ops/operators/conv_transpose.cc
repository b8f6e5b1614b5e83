#include "ops/shape_helpers.h"
#include "ops/window.h"

namespace planish::ops {
namespace {

using reference::AutoPad;

Shape spatial_output(const InferContext& context,
                     const reference::WindowAttributes& w,
                     std::span<const SizeExpr> input) {
  Ints shape = context.attributes().get_ints("output_shape");
  if (shape.size() == w.rank() + 2) shape.erase(shape.begin(), shape.begin() + 2);
  const Ints& extra = context.attributes().get_ints("output_padding");
  if ((!shape.empty() && shape.size() != w.rank()) ||
      (!extra.empty() && extra.size() != w.rank())) {
    context.fail(fmt::format("output_shape and output_padding need one entry for each of {} axes",
                             w.rank()));
  }
  Shape output;
  for (size_t a = 0; a < w.rank(); ++a) {
    const int64_t adjust = extra.empty() ? 0 : extra[a];
    if (adjust < 0 || adjust >= std::max(w.stride[a], w.dilation[a])) {
      context.fail(
          fmt::format("output_padding {} must be at least 0 and less than stride {} or dilation {}",
                      adjust, w.stride[a], w.dilation[a]));
    }
    if (!shape.empty()) {
      output.push_back(shape[a]);
    } else if (w.auto_pad == AutoPad::kSameUpper || w.auto_pad == AutoPad::kSameLower) {
      output.push_back(input[a] * w.stride[a]);
    } else {
      output.push_back((input[a] - 1) * w.stride[a] + adjust + w.extent(a) - w.begin[a] - w.end[a]);
    }
    if (output.back().constant().value_or(1) < 1) {
      context.fail(fmt::format("spatial axis {} of the output would have size {}", a,
                               output.back().to_string()));
    }
  }
  return output;
}

void infer_conv_transpose(InferContext& context) {
  const int64_t groups = context.attributes().get_int("group", 1);
  if (groups < 1) context.fail(fmt::format("group is {}; it must be positive", groups));
  const Shape *x = context.input_shape(0), *w = context.input_shape(1);
  std::optional<Shape> result;
  if ((x && x->size() < 3) || (w && w->size() < 3) || (x && w && x->size() != w->size())) {
    context.fail("input and weight must have one rank, 3 or more");
  }
  if (x && w) {
    const std::optional<int64_t> inputs =
        same_dim(context, (*x)[1], (*w)[0], "input channels of X and W").constant();
    if (inputs && *inputs % groups != 0) {
      context.fail(fmt::format("{} input channels do not split into {} groups", *inputs, groups));
    }
  }
  if (x) {
    const size_t rank = x->size() - 2;
    result = Shape{(*x)[0], w ? (*w)[1] * groups : context.fresh_dim()};
    const std::optional<Dims> kernel = known_kernel(context, 1);
    const bool known = kernel || !context.attributes().get_ints("kernel_shape").empty();
    const Shape spatial =
        known ? spatial_output(
                    context,
                    reference::read_window(context.attributes(), rank, kernel ? &*kernel : nullptr),
                    std::span(*x).subspan(2))
              : fresh_shape(context, static_cast<int64_t>(rank));
    result->insert(result->end(), spatial.begin(), spatial.end());
    check_bias(context, 2, (*result)[1]);
  }
  context.set_output(0, tensor_type(context.input_dtype(0), result));
}

// Every input cell meets every tap of its group's weights.
Cost cost_conv_transpose(const ir::Node&, std::span<const Dims> inputs, std::span<const Dims>) {
  double flops = 2;
  for (const int64_t d : inputs[0]) flops *= static_cast<double>(d);
  for (size_t i = 1; i < inputs[1].size(); ++i) flops *= static_cast<double>(inputs[1][i]);
  return {flops};
}

}  // namespace

PLANISH_OPERATOR(conv_transpose) {
  OpDef d;
  d.name = "ConvTranspose";
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T"},
              {"W", Arity::kRequired, kAnyFloat, "T"},
              {"B", Arity::kOptional, kAnyFloat, "T"}};
  d.outputs = {{"Y", Arity::kRequired, kAnyFloat, "T"}};
  d.attributes = window_attributes({{"group", AttrKind::kInt},
                                    {"output_padding", AttrKind::kInts},
                                    {"output_shape", AttrKind::kInts}});
  d.infer = &infer_conv_transpose;
  d.cost = &cost_conv_transpose;
  return d;
}

}  // namespace planish::ops
