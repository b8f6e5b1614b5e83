// Inference that the normalisations share.
#pragma once

#include "ops/op.h"

namespace planish::ops {

// Inputs scale.. of shape [channels of X]; output 0 like X, which has `lowest_rank` dims at least.
void infer_channel_normalization(InferContext& context, int64_t lowest_rank);
// Input `i` must broadcast to X one way: its rank is not larger and no dim is.
void check_one_way(const InferContext& context, size_t i);
// About eight operations per element of input 0: two passes for the moments, one to apply.
Cost normalization_cost(const ir::Node& node,
                        std::span<const Dims> inputs,
                        std::span<const Dims> outputs);

}  // namespace planish::ops
