#include "ops/movement.h"

namespace planish::ops {

PLANISH_OPERATOR(regex_full_match) {
  OpDef d;
  d.name = "RegexFullMatch";
  d.since = 20;
  d.inputs = {{"X", Arity::kRequired, type_bit(DType::kString)}};
  d.outputs = {{"Y", Arity::kRequired, type_bit(DType::kBool)}};
  d.attributes = {{"pattern", AttrKind::kString}};
  d.infer = &infer_compare;
  return d;
}

}  // namespace planish::ops
