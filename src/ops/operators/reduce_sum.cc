#include "ops/reduction.h"

namespace planish::ops {

namespace {

void infer_reduce_sum(InferContext& context) {
  const auto fold = [](const SizeExpr& a, const SizeExpr& b) { return a + b; };
  infer_reduction_of_sizes(context, fold, SizeExpr(0));
}

}  // namespace

PLANISH_OPERATOR(reduce_sum) {
  OpDef d = reduction("ReduceSum", kAnyNumeric, 13);
  d.infer = &infer_reduce_sum;
  return d;
}

}  // namespace planish::ops
