// Definitions of the reductions.
#pragma once

#include <string_view>

#include "ops/movement.h"

namespace planish::ops {

// Reduce*: axes are an input from opset `axes_input` on, an attribute before.
OpDef reduction(std::string_view name, TypeSet types, int axes_input = 18);

// Shapes of a Reduce* node.
void infer_reduction(InferContext& context);
// The same, and of a known 1-D (or scalar) tensor of sizes that is reduced as a whole, the result:
// its elements folded by `fn` from `start`.
void infer_reduction_of_sizes(InferContext& context, SymbolicFn fn, std::optional<SizeExpr> start);

// ArgMax and ArgMin.
OpDef arg_reduction(std::string_view name);

// A multiply-add, or what takes its place, per element read.
Cost cost_per_input(const ir::Node& node,
                    std::span<const Dims> inputs,
                    std::span<const Dims> outputs);

}  // namespace planish::ops
