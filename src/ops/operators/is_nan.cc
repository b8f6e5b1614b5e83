#include "ops/elementwise.h"

namespace planish::ops {

PLANISH_OPERATOR(is_nan) {
  OpDef d = unary("IsNaN", 9, kAnyFloat);
  d.inputs = {{"X", Arity::kRequired, kAnyFloat | kFloat8, "T1"}};
  d.outputs = {{"Y", Arity::kRequired, type_bit(DType::kBool)}};
  d.infer = &infer_compare;
  return d;
}

}  // namespace planish::ops
