#include "ops/elementwise.h"

namespace planish::ops {

namespace {

SizeExpr content_sub(const SizeExpr& a, const SizeExpr& b) { return a - b; }

}  // namespace

PLANISH_OPERATOR(sub) {
  OpDef d = binary("Sub", 1, kAnyNumeric);
  d.infer = &infer_arithmetic<&content_sub>;
  d.epilogue = true;
  return d;
}

}  // namespace planish::ops
