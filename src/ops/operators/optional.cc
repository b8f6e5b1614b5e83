#include "ops/sequence.h"

namespace planish::ops {

namespace {

void infer_optional(InferContext& context) {
  if (context.has_input(0)) return context.set_output(0, Type::optional(context.input_type(0)));
  const Attribute* type = context.attributes().find("type");
  if (type == nullptr || !std::holds_alternative<Type>(*type))
    context.fail("needs its input or the attribute type");
  context.set_output(0, Type::optional(std::get<Type>(*type)));
}

}  // namespace

PLANISH_OPERATOR(optional) {
  OpDef d;
  d.name = "Optional";
  d.since = 15;
  d.inputs = {any_input("input", Arity::kOptional)};
  d.outputs = {any_input("output")};
  d.attributes = {{"type", AttrKind::kType}};
  d.infer = &infer_optional;
  return d;
}

}  // namespace planish::ops
