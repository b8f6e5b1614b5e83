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

Attributes old_rules(const std::string& mode, bool up) {
  Attributes a;
  a.set("mode", mode);
  a.set("coordinate_transformation_mode", std::string("asymmetric"));
  if (mode == "nearest") a.set("nearest_mode", std::string(up ? "floor" : "ceil"));
  return a;
}

}  // namespace

void upgrade_to_resize(UpgradeContext& context) {
  ir::Node& node = context.node();
  std::string mode = node.attributes.get_string("mode", "nearest");
  if (mode == "bilinear") mode = "linear";  // opset 1
  const Tensor* known = node.inputs.size() > 1 ? context.input_constant(1) : nullptr;
  const std::vector<double> values = known ? to_doubles(*known) : std::vector<double>{};
  ir::ValueId scales = scales_input(context);
  ir::ValueId x = context.input(0);
  // Opset 10 left the rounding open; its own examples take the next element along axes that shrink.
  // Scales that only the run tells count as growing, what Upsample always is.
  const auto below = [](double v) { return v < 1; };
  const bool down = std::any_of(values.begin(), values.end(), below);
  const bool up = std::any_of(values.begin(), values.end(), [](double v) { return v > 1; });
  if (down && up && mode == "nearest") {  // one after the other
    std::vector<float> shrink, grow;
    for (const double v : values) {
      shrink.push_back(below(v) ? static_cast<float>(v) : 1.0f);
      grow.push_back(below(v) ? 1.0f : static_cast<float>(v));
    }
    const auto list = [&](std::string_view name, const std::vector<float>& scale) {
      return context.constant(name, Tensor::of<float>({static_cast<int64_t>(scale.size())},
                                                      std::span<const float>(scale)));
    };
    x = context.emit("Resize", {x, ir::kNoValue, list("shrink", shrink)}, old_rules(mode, false));
    scales = list("grow", grow);
  }
  node.op = "Resize";
  node.inputs = {x, ir::kNoValue, scales};
  node.attributes = old_rules(mode, up || !down);
}

}  // namespace planish::ops
