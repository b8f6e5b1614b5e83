#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_string_normalizer(InferContext& context) {
  const Shape* x = context.input_shape(0);
  if (x == nullptr) return set_shape(context, std::nullopt);
  if (x->size() == 1) return set_shape(context, Shape{context.fresh_dim()});
  if (x->size() != 2) context.fail(fmt::format("takes [C] or [1, C], not {}", to_string(*x)));
  set_shape(context, Shape{1, context.fresh_dim()});
}

}  // namespace

PLANISH_OPERATOR(string_normalizer) {
  OpDef d;
  d.name = "StringNormalizer";
  d.since = 10;
  d.inputs = {{"X", Arity::kRequired, type_bit(DType::kString)}};
  d.outputs = {{"Y", Arity::kRequired, type_bit(DType::kString)}};
  d.attributes = {{"case_change_action", AttrKind::kString},
                  {"is_case_sensitive", AttrKind::kInt},
                  {"locale", AttrKind::kString},
                  {"stopwords", AttrKind::kStrings}};
  d.infer = &infer_string_normalizer;
  return d;
}

}  // namespace planish::ops
