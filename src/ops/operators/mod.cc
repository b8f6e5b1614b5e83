// Python's % (sign of the divisor) is what size arithmetic calls mod.
#include "ops/elementwise.h"

namespace planish::ops {

namespace {

SizeExpr content_mod(const SizeExpr& a, const SizeExpr& b) { return SizeExpr::mod(a, b); }

void infer_mod(InferContext& context) {
  infer_broadcast(context);
  if (context.attributes().get_int("fmod", 0) == 0) propagate_binary(context, &content_mod);
}

}  // namespace

PLANISH_OPERATOR(mod) {
  OpDef d = binary("Mod", 10, kAnyNumeric);
  d.attributes = {{"fmod", AttrKind::kInt}};
  d.infer = &infer_mod;
  return d;
}

}  // namespace planish::ops
