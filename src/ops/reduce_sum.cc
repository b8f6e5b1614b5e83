#include "ops/reduction.h"

namespace planish::ops {

namespace {

void infer(InferContext& context) {
  const auto fold = [](const SizeExpr& a, const SizeExpr& b) { return a + b; };
  infer_reduction_of_sizes(context, fold, SizeExpr(0));
}

}  // namespace

PLANISH_OPERATOR(reduce_sum) {
  OpDef d = reduction("ReduceSum", kAnyNumeric, 13);
  d.infer = &infer;
  return d;
}

}  // namespace planish::ops
