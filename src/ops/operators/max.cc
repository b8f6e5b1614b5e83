#include "ops/elementwise.h"

namespace planish::ops {

namespace {

SizeExpr content_max(const SizeExpr& a, const SizeExpr& b) { return SizeExpr::max(a, b); }

}  // namespace

PLANISH_OPERATOR(max) {
  OpDef d = variadic("Max", 1, kAnyNumeric);
  d.infer = &infer_variadic<&content_max>;
  return d;
}

}  // namespace planish::ops
