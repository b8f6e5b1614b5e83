#include "ops/movement.h"

namespace planish::ops {

namespace {

// 0 and 1 where it is certain; an open case makes the whole unknown.
SizeExpr certain(const SizeExpr& a, const SizeExpr& b) {
  const Tri same = equal_sizes(a, b);
  if (same == Tri::kUnknown) fail(ErrorCode::kUnsupported, "not decidable");
  return same == Tri::kYes ? 1 : 0;
}

void infer_equal(InferContext& context) {
  infer_compare(context);
  propagate_binary(context, &certain);
}

}  // namespace

PLANISH_OPERATOR(equal) {
  const TypeSet more = type_bit(DType::kBool) | type_bit(DType::kString);
  OpDef d = comparison("Equal", 1, kAnyNumeric | more);
  d.infer = &infer_equal;
  return d;
}

}  // namespace planish::ops
