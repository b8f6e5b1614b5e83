#include "ops/elementwise.h"

namespace planish::ops {

namespace {

SizeExpr content_mul(const SizeExpr& a, const SizeExpr& b) { return a * b; }

}  // namespace

PLANISH_OPERATOR(mul) {
  OpDef d = binary("Mul", 1, kAnyNumeric);
  d.infer = &infer_arithmetic<&content_mul>;
  d.epilogue = true;
  return d;
}

}  // namespace planish::ops
