// GivenTensorFill: `values` in the shape that an attribute, the content of the input or the input's
// own shape gives, with `extra_shape` behind; until opset 10. On import it becomes Reshape.
#include "ops/experimental.h"

namespace planish::ops {
namespace {

void upgrade_given_tensor_fill(UpgradeContext& context) {
  ir::Node& node = context.node();
  const Floats values = node.attributes.get_floats("values");
  const Ints shape = node.attributes.get_ints("shape"),
             extra = node.attributes.get_ints("extra_shape");
  const bool as_shape = node.attributes.get_int("input_as_shape", 0) != 0;
  const bool given = node.attributes.has("shape");
  const bool has_input = !node.inputs.empty() && node.inputs[0] != ir::kNoValue;
  node.attributes = {};
  if (given == has_input) {
    fail(ErrorCode::kInvalidModel,
         "GivenTensorFill takes its shape either from the attribute 'shape' or from its input");
  }
  const auto list = [&](std::string_view name, const Ints& dims) {
    return context.constant(name, Tensor::of<int64_t>({static_cast<int64_t>(dims.size())},
                                                      std::span<const int64_t>(dims)));
  };
  ir::ValueId target = ir::kNoValue;
  if (given) {
    target = list("shape", shape);
  } else if (as_shape) {
    Attributes to;
    to.set("to", static_cast<int64_t>(DType::kInt64));
    target = context.emit("Cast", {node.inputs[0]}, to);
  } else {
    target = context.emit("Shape", {node.inputs[0]});
  }
  if (!extra.empty()) {
    Attributes axis;
    axis.set("axis", int64_t{0});
    target = context.emit("Concat", {target, list("extra_shape", extra)}, axis);
  }
  const ir::ValueId flat = context.constant(
      "values",
      Tensor::of<float>({static_cast<int64_t>(values.size())}, std::span<const float>(values)));
  node.op = "Reshape";
  node.inputs = {flat, target};
  node.attributes.set("allowzero", int64_t{1});
}

}  // namespace

PLANISH_OPERATOR(given_tensor_fill) {
  OpDef d = experimental("GivenTensorFill", {"extra_shape", "input_as_shape", "shape", "values"},
                         &upgrade_given_tensor_fill);
  d.inputs = {{"shape", Arity::kOptional, kAnyNumeric}};
  return d;
}

}  // namespace planish::ops
