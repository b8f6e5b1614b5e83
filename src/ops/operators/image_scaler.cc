// ImageScaler: scale * x + bias of the channel, on NCHW pictures, until opset 10; on import it
// becomes that.
#include <algorithm>

#include "ops/elementwise.h"
#include "ops/experimental.h"

namespace planish::ops {
namespace {

void upgrade_image_scaler(UpgradeContext& context) {
  ir::Node& node = context.node();
  const ir::ValueId x = context.input(0);
  const Floats bias = node.attributes.get_floats("bias");
  node.attributes.erase("bias");
  const auto channels = static_cast<int64_t>(bias.size());
  if (bias.empty()) fail(ErrorCode::kInvalidModel, "ImageScaler needs a bias for each channel");
  if (const Type type = context.input_type(0); type.shape) {
    if (type.shape->size() != 4) {
      fail(ErrorCode::kInvalidModel, "ImageScaler takes NCHW pictures, not {}", to_string(type));
    }
    const std::optional<int64_t> known = (*type.shape)[1].constant();
    if (known && *known != channels) {
      fail(ErrorCode::kInvalidModel, "ImageScaler has {} bias entries for {} channels", channels,
           *known);
    }
  }
  const ir::ValueId scale = constant_like(context, "scale", take_float(context, "scale", 1), 0);
  ir::ValueId shift = context.constant(
      "bias", Tensor::of<float>({1, channels, 1, 1}, std::span<const float>(bias)));
  if (context.input_type(0).dtype != DType::kFloat32) {
    shift = context.emit("CastLike", {shift, x});
  }
  const ir::ValueId scaled = context.emit("Mul", {x, scale});
  node.op = "Add";
  node.inputs = {scaled, shift};
}

}  // namespace

PLANISH_OPERATOR(image_scaler) {
  return experimental("ImageScaler", {"bias", "scale"}, &upgrade_image_scaler);
}

}  // namespace planish::ops
