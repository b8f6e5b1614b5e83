#include "ops/reduction.h"

namespace planish::ops {

namespace {

void infer_reduce_max(InferContext& context) {
  const auto fold = [](const SizeExpr& a, const SizeExpr& b) { return SizeExpr::max(a, b); };
  infer_reduction_of_sizes(context, fold, std::nullopt);
}

}  // namespace

PLANISH_OPERATOR(reduce_max) {
  OpDef d = reduction("ReduceMax", kAnyNumeric | type_bit(DType::kBool));
  d.infer = &infer_reduce_max;
  return d;
}

}  // namespace planish::ops
