#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(is_inf) {
  OpDef d = unary("IsInf", 10, kAnyFloat);
  d.inputs = {{"X", Arity::kRequired, kAnyFloat | kFloat8, "T1"}};
  d.outputs = {{"Y", Arity::kRequired, type_bit(DType::kBool)}};
  d.infer = &infer_compare;
  d.attributes = {{"detect_negative", AttrKind::kInt}, {"detect_positive", AttrKind::kInt}};
  return d;
}

}  // namespace planish::ops
