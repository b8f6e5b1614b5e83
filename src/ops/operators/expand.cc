#include <algorithm>

#include "ops/movement.h"

namespace planish::ops {

namespace {

void infer_expand(InferContext& context) {
  const Shape* x = context.input_shape(0);
  const std::optional<Shape> wanted = described_shape(context, 1);
  if (x == nullptr || !wanted) return set_shape(context, std::nullopt);
  Shape out;
  if (context.input_symbolic(1)) {
    // A target dim of 1 leaves the dim of x.
    out = broadcast(context, *x, *wanted);
  } else {
    // Any dim that may still grow is for the run to tell.
    out = fresh_shape(context, static_cast<int64_t>(std::max(x->size(), wanted->size())));
    for (size_t i = 0; i < x->size(); ++i) {
      const SizeExpr& dim = (*x)[x->size() - 1 - i];
      if (dim.is_constant() && dim != SizeExpr(1)) out[out.size() - 1 - i] = dim;
    }
  }
  set_shape(context, out);
  const auto content = context.input_symbolic(0);
  const auto dims = constant_dims(out);
  if (!content || !dims || !context.input_symbolic(1)) return;
  for (const int64_t dim : *dims) {
    if (dim > kMaxSymbolicElements) return;
  }
  if (dims->size() > 2 ||
      product(out).constant().value_or(kMaxSymbolicElements + 1) > kMaxSymbolicElements)
    return;
  const ir::SymbolicTensor zeros{*dims,
                                 std::vector<SizeExpr>(static_cast<size_t>(element_count(*dims)))};
  const auto plus = [](const SizeExpr& a, const SizeExpr& b) { return a + b; };
  if (auto spread = elementwise(*content, zeros, plus)) context.set_symbolic(0, std::move(*spread));
}

}  // namespace

PLANISH_OPERATOR(expand) {
  OpDef d = mover("Expand", 8);
  d.inputs.push_back(int64_input("shape"));
  d.infer = &infer_expand;
  return d;
}

}  // namespace planish::ops
