// Crop: cuts NCHW pictures, until opset 10; on import it becomes Slice. `border` (left, top, right,
// bottom) goes; with `scale` (height, width) that much stays from the top left corner of the
// border.
#include <limits>

#include "ops/experimental.h"

namespace planish::ops {
namespace {

void upgrade_crop(UpgradeContext& context) {
  ir::Node& node = context.node();
  const ir::ValueId x = context.input(0);
  const Ints border = node.attributes.get_ints("border"), scale = node.attributes.get_ints("scale");
  node.attributes = {};
  if (border.size() != 4 || (!scale.empty() && scale.size() != 2)) {
    fail(ErrorCode::kInvalidModel,
         "Crop needs a border of 4 entries and a scale of none or 2, not of {} and {}",
         border.size(), scale.size());
  }
  for (const Ints* list : {&border, &scale}) {
    for (const int64_t n : *list) {
      if (n < 0 || n > std::numeric_limits<int32_t>::max()) {
        fail(ErrorCode::kInvalidModel, "Crop: {} is no number of rows or columns", n);
      }
    }
  }
  const Type type = context.input_type(0);
  if (type.shape && type.shape->size() != 4) {
    fail(ErrorCode::kInvalidModel, "Crop takes NCHW pictures, not {}", to_string(type));
  }
  Ints starts, ends;
  for (const size_t i : {size_t{0}, size_t{1}}) {  // height, width
    const int64_t before = border[1 - i], after = border[3 - i];
    const auto kept = scale.empty() ? std::nullopt : std::optional(scale[i]);
    const auto extent = type.shape ? (*type.shape)[2 + i].constant() : std::nullopt;
    if (extent && before + kept.value_or(after) > *extent) {
      fail(ErrorCode::kInvalidModel, "Crop: {} and {} of the {} {} are asked for", before,
           kept.value_or(after), *extent, i == 0 ? "rows" : "columns");
    }
    starts.push_back(before);
    if (kept) {
      ends.push_back(before + *kept);
    } else {
      ends.push_back(after == 0 ? std::numeric_limits<int64_t>::max() : -after);
    }
  }
  const auto list = [&](std::string_view name, const Ints& values) {
    return context.constant(name, Tensor::of<int64_t>({2}, std::span<const int64_t>(values)));
  };
  node.op = "Slice";
  node.inputs = {x, list("starts", starts), list("ends", ends), list("axes", {2, 3})};
}

}  // namespace

PLANISH_OPERATOR(crop) { return experimental("Crop", {"border", "scale"}, &upgrade_crop); }

}  // namespace planish::ops
