// Opset 1 named the target type by its ONNX name.
#include "ops/elementwise.h"

namespace planish::ops {

namespace {

void infer_cast(InferContext& context) {
  const int64_t to = context.attributes().get_int("to");
  if (to <= 0 || to >= kDTypeCount) context.fail(fmt::format("{} is no element type", to));
  const auto type = static_cast<DType>(to);
  std::optional<Shape> shape;
  if (const Shape* x = context.input_shape(0)) shape = *x;
  context.set_output(0, tensor_type(type, std::move(shape)));
  if (type != DType::kInt64 && type != DType::kInt32) return;
  if (auto content = context.input_symbolic(0)) context.set_symbolic(0, std::move(*content));
}

void upgrade_cast(UpgradeContext& context) {
  if (context.from() >= 6) return;
  Attributes& attributes = context.node().attributes;
  const Attribute* to = attributes.find("to");
  if (to == nullptr || !std::holds_alternative<std::string>(*to)) return;
  const std::string name = std::get<std::string>(*to);
  const std::optional<DType> type = parse_dtype(name);
  if (!type) fail(ErrorCode::kInvalidModel, "Cast: \"{}\" is no element type", name);
  attributes.set("to", static_cast<int64_t>(*type));
}

}  // namespace

PLANISH_OPERATOR(cast) {
  OpDef d;
  d.name = "Cast";
  d.inputs = {{"input", Arity::kRequired, kAnyTensor}};
  d.outputs = {{"output", Arity::kRequired, kAnyTensor}};
  d.attributes = {{"round_mode", AttrKind::kString},
                  {"saturate", AttrKind::kInt},
                  {"to", AttrKind::kInt, true}};
  d.infer = &infer_cast;
  d.upgrade = &upgrade_cast;
  return d;
}

}  // namespace planish::ops
