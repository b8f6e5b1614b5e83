// Schema and inference that LSTM, GRU and RNN share.
#pragma once

#include <string_view>

#include "ops/op.h"

namespace planish::ops {

// The operator with the attributes and the inputs X, W, R, B, sequence_lens, initial_h that all
// have.
OpDef recurrent_operator(std::string_view name);
// `gates`: rows of W and R are gates * hidden. LSTM has a second state (inputs 6 and 7, output 2).
void infer_recurrent(InferContext& context, int64_t gates);
Cost recurrent_cost(const ir::Node& node,
                    std::span<const Dims> inputs,
                    std::span<const Dims> outputs);

}  // namespace planish::ops
