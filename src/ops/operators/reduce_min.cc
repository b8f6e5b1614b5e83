#include "ops/reduction.h"

namespace planish::ops {

namespace {

void infer_reduce_min(InferContext& context) {
  const auto fold = [](const SizeExpr& a, const SizeExpr& b) { return SizeExpr::min(a, b); };
  infer_reduction_of_sizes(context, fold, std::nullopt);
}

}  // namespace

PLANISH_OPERATOR(reduce_min) {
  OpDef d = reduction("ReduceMin", kAnyNumeric | type_bit(DType::kBool));
  d.infer = &infer_reduce_min;
  return d;
}

}  // namespace planish::ops
