#include "ops/elementwise.h"

namespace planish::ops {

namespace {

SizeExpr content_add(const SizeExpr& a, const SizeExpr& b) { return a + b; }

}  // namespace

PLANISH_OPERATOR(add) {
  OpDef d = binary("Add", 1, kAnyNumeric);
  d.infer = &infer_arithmetic<&content_add>;
  d.epilogue = true;
  return d;
}

}  // namespace planish::ops
