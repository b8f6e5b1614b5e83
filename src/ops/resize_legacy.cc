#include "ops/resize_legacy.h"

#include <algorithm>

#include "base/elements.h"

namespace planish::ops {
namespace {

// The scales as an input, whatever form the opset gave them.
ir::ValueId scales_input(UpgradeContext& context) {
  ir::Node& node = context.node();
  if (node.inputs.size() > 1) return node.inputs[1];
  std::vector<float> scales = node.attributes.get_floats("scales");
  if (scales.empty()) {
    scales = {1, 1, node.attributes.get_float("height_scale"),
              node.attributes.get_float("width_scale")};
  }
  return context.constant("scales", Tensor::of<float>({static_cast<int64_t>(scales.size())},
                                                      std::span<const float>(scales)));
}

// True when some scale shrinks; unknown scales count as growing, what Upsample always is.
bool shrinks(UpgradeContext& context) {
  const Tensor* scales = context.node().inputs.size() > 1 ? context.input_constant(1) : nullptr;
  if (!scales) return false;
  const std::vector<double> values = to_doubles(*scales);
  return std::any_of(values.begin(), values.end(), [](double v) { return v < 1; });
}

}  // namespace

void upgrade_to_resize(UpgradeContext& context) {
  ir::Node& node = context.node();
  std::string mode = node.attributes.get_string("mode", "nearest");
  if (mode == "bilinear") mode = "linear";  // opset 1
  const bool down = shrinks(context);
  const ir::ValueId scales = scales_input(context);
  node.op = "Resize";
  node.inputs = {node.inputs[0], ir::kNoValue, scales};
  node.attributes = {};
  node.attributes.set("mode", mode);
  node.attributes.set("coordinate_transformation_mode", std::string("asymmetric"));
  // Opset 10 left the rounding open; its own examples take the next element when they shrink.
  if (mode == "nearest") node.attributes.set("nearest_mode", std::string(down ? "ceil" : "floor"));
}

}  // namespace planish::ops
