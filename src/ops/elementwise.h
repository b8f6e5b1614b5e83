// Definitions of the pointwise families: an operator file names its types and versions and is done.
#pragma once

#include <string_view>

#include "ops/op.h"
#include "ops/shape_helpers.h"

namespace planish::ops {

// One input X, one output Y of its type and shape; `consumed_inputs` of the first opsets dropped.
OpDef unary(std::string_view name, int since, TypeSet types);
// The same with the one mark that a producer may absorb it.
OpDef activation(std::string_view name, int since, TypeSet types);
// Two inputs of one type that broadcast; attributes axis and broadcast before opset 7.
OpDef binary(std::string_view name, int since, TypeSet types);
// binary() with a bool result.
OpDef comparison(std::string_view name, int since, TypeSet types);
// Any number of inputs of one type that broadcast.
OpDef variadic(std::string_view name, int since, TypeSet types);

// Floats and signed integers.
TypeSet signed_numbers();

// Drops the attribute `consumed_inputs` of opsets 1 to 5.
void drop_consumed(UpgradeContext& context);
// Before opset 7 B was laid on A from axis `axis` on, and only with broadcast=1: gives B the
// trailing ones that today's rule needs.
void upgrade_broadcast(UpgradeContext& context);

// Infers shapes as infer_broadcast and the content of input 0 `fn` input 1 where both are known.
template <SymbolicFn fn>
void infer_arithmetic(InferContext& context) {
  infer_broadcast(context);
  propagate_binary(context, fn);
}
// The same over all inputs.
template <SymbolicFn fn>
void infer_variadic(InferContext& context) {
  infer_broadcast(context);
  std::optional<ir::SymbolicTensor> total;
  for (size_t i = 0; i < context.input_count(); ++i) {
    auto next = context.input_symbolic(i);
    if (next && total) next = elementwise(*total, *next, fn);
    if (!next) return;
    total = std::move(next);
  }
  if (total) context.set_symbolic(0, std::move(*total));
}

// Never negative, whatever the (non-negative) symbols are; false when that is not obvious.
bool never_negative(const SizeExpr& e);
// Integer division as Div does it, towards zero. Throws when the sign of the divisor is unknown;
// propagate_binary then knows nothing.
SizeExpr truncating_div(const SizeExpr& a, const SizeExpr& b);

// `value` as a scalar constant of the type of input `like` (by CastLike where that is unknown).
ir::ValueId constant_like(UpgradeContext& context, std::string_view name, float value, size_t like);
// Moves an integer list attribute to a new int64 input at `index`, when it is there.
void attribute_to_input(UpgradeContext& context, std::string_view attribute, size_t index);

}  // namespace planish::ops
