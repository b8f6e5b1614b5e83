#include "base/elements.h"
#include "ops/movement.h"

namespace planish::ops {

namespace {

// The condition as numbers 0 and 1.
std::optional<ir::SymbolicTensor> choice(InferContext& context) {
  const Tensor* constant = context.input_constant(0);
  if (constant == nullptr) return context.input_symbolic(0);
  if (constant->dtype() != DType::kBool || constant->size() > kMaxSymbolicElements)
    return std::nullopt;
  ir::SymbolicTensor out{constant->dims(), {}};
  for (int64_t i = 0; i < constant->size(); ++i) out.elements.emplace_back(load_int(*constant, i));
  return out;
}

SizeExpr times(const SizeExpr& a, const SizeExpr& b) { return a * b; }
SizeExpr plus(const SizeExpr& a, const SizeExpr& b) { return a + b; }

void infer_where(InferContext& context) {
  const DType dtype =
      context.input_dtype(1) != DType::kUndefined ? context.input_dtype(1) : context.input_dtype(2);
  context.set_output(0, tensor_type(dtype, broadcast_inputs(context, 0, 3)));
  const auto x = context.input_symbolic(1), y = context.input_symbolic(2);
  if (!x || !y) return;
  const auto first = choice(context);
  if (!first) return;
  ir::SymbolicTensor second = *first;
  for (SizeExpr& e : second.elements) e = SizeExpr(1) - e;
  const auto left = elementwise(*first, *x, &times), right = elementwise(second, *y, &times);
  if (!left || !right) return;
  if (auto out = elementwise(*left, *right, &plus)) context.set_symbolic(0, std::move(*out));
}

}  // namespace

PLANISH_OPERATOR(where) {
  OpDef d;
  d.name = "Where";
  d.since = 9;
  d.inputs = {{"condition", Arity::kRequired, type_bit(DType::kBool)},
              {"X", Arity::kRequired, kAnyTensor, "T"},
              {"Y", Arity::kRequired, kAnyTensor, "T"}};
  d.outputs = {{"output", Arity::kRequired, kAnyTensor, "T"}};
  d.infer = &infer_where;
  return d;
}

}  // namespace planish::ops
