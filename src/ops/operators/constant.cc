// Importers turn it into a constant of the graph; this is for graphs made by hand.
#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_constant(InferContext& context) {
  const Attributes& a = context.attributes();
  const auto list = [](size_t n) { return Shape{static_cast<int64_t>(n)}; };
  if (const Tensor* value = a.get_tensor("value")) {
    context.set_output(0, Type::tensor(value->dtype(), to_shape(value->dims())));
    if (auto content = symbolic_content(*value)) context.set_symbolic(0, std::move(*content));
  } else if (a.has("value_int")) {
    context.set_output(0, Type::tensor(DType::kInt64, Shape{}));
    context.set_symbolic(0, {{}, {a.get_int("value_int")}});
  } else if (a.has("value_float")) {
    context.set_output(0, Type::tensor(DType::kFloat32, Shape{}));
  } else if (a.has("value_string")) {
    context.set_output(0, Type::tensor(DType::kString, Shape{}));
  } else if (a.has("value_ints")) {
    const Ints& v = a.get_ints("value_ints");
    context.set_output(0, Type::tensor(DType::kInt64, list(v.size())));
    if (static_cast<int64_t>(v.size()) <= kMaxSymbolicElements)
      context.set_symbolic(0, {{static_cast<int64_t>(v.size())}, {v.begin(), v.end()}});
  } else if (a.has("value_floats")) {
    context.set_output(0, Type::tensor(DType::kFloat32, list(a.get_floats("value_floats").size())));
  } else if (a.has("value_strings")) {
    context.set_output(0,
                       Type::tensor(DType::kString, list(a.get_strings("value_strings").size())));
  } else {
    context.fail("has no value");
  }
}

}  // namespace

PLANISH_OPERATOR(constant) {
  OpDef d;
  d.name = "Constant";
  d.outputs = {{"output", Arity::kRequired, kAnyTensor}};
  d.attributes = {{"value", AttrKind::kTensor},         {"value_float", AttrKind::kFloat},
                  {"value_floats", AttrKind::kFloats},  {"value_int", AttrKind::kInt},
                  {"value_ints", AttrKind::kInts},      {"value_string", AttrKind::kString},
                  {"value_strings", AttrKind::kStrings}};
  d.infer = &infer_constant;
  return d;
}

}  // namespace planish::ops
