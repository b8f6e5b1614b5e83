// What the operators that move data share: their definition and the content of small tensors.
#pragma once

#include <functional>
#include <string_view>

#include "ops/elementwise.h"
#include "ops/op.h"
#include "ops/shape_helpers.h"

namespace planish::ops {

// Input 0 `data` and output 0 of any one type; further formals are added by the operator.
OpDef mover(std::string_view name, int since = 1);
// A formal of int64 (or int32 too).
Formal int64_input(std::string_view name, Arity arity = Arity::kRequired);
Formal index_input(std::string_view name, Arity arity = Arity::kRequired);

// Output 0: the dtype of input 0 under `shape`.
void set_shape(InferContext& context, std::optional<Shape> shape);
// Output 0 has the elements of input 0 in the same order: passes known content on under the
// output's shape, which must be constant for that.
void keep_content(InferContext& context, const Shape& shape);

// The dims that a 1-D integer input describes; of unknown content fresh dims, or nothing when even
// its length is unknown.
std::optional<Shape> described_shape(InferContext& context, size_t input);

// a == b for all, no, or some values of the symbols, given that symbols are never negative.
Tri equal_sizes(const SizeExpr& a, const SizeExpr& b);

}  // namespace planish::ops
