#include "ops/reduction.h"

namespace planish::ops {

namespace {

void infer_reduce_prod(InferContext& context) {
  const auto fold = [](const SizeExpr& a, const SizeExpr& b) { return a * b; };
  infer_reduction_of_sizes(context, fold, SizeExpr(1));
}

}  // namespace

PLANISH_OPERATOR(reduce_prod) {
  OpDef d = reduction("ReduceProd", kAnyNumeric);
  d.infer = &infer_reduce_prod;
  return d;
}

}  // namespace planish::ops
