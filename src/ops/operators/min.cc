#include "ops/elementwise.h"

namespace planish::ops {

namespace {

SizeExpr content_min(const SizeExpr& a, const SizeExpr& b) { return SizeExpr::min(a, b); }

}  // namespace

PLANISH_OPERATOR(min) {
  OpDef d = variadic("Min", 1, kAnyNumeric);
  d.infer = &infer_variadic<&content_min>;
  return d;
}

}  // namespace planish::ops
