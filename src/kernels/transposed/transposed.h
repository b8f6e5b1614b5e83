// float32 transposed convolution over two spatial dims, NCHW in and out.
//
// Per image and group: a product [oc * kh * kw x ic] [ic x ih*iw], block of input pixels by block,
// whose rows are added to the places of the output they belong to (col2im). Weights are packed when
// the plan is built: per group panels of 6 rows over (oc, kh, kw), [group][ceil(oc*kh*kw /
// 6)][ic][6]. Each output channel belongs to one worker and is summed in one order: bits do not
// depend on the number of workers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/conv/conv.h"

namespace planish::kernels {

// ConvProblem read as: ic, ih, iw the input; oc, oh, ow the output; output = input * stride - pad +
// tap * dilation. group_ic() rows of weights.
struct TransposedVariant {
  const char* name;
  Isa isa;
  const char* (*supports)(const ConvProblem& problem);
  int64_t (*workspace_floats)(const ConvProblem& problem);  // per worker
  Status (*run)(const ConvArgs* args, int worker, int workers);
};

std::span<const TransposedVariant> transposed_variants();
const TransposedVariant* find_transposed(std::string_view name);

// Weights [ic][oc/groups][kh][kw] to packed and back; taps = kh * kw.
int64_t packed_transposed_floats(int64_t ic, int64_t oc, int64_t taps, int64_t groups);
void pack_transposed(
    int64_t ic, int64_t oc, int64_t taps, int64_t groups, const float* w, float* packed);
void unpack_transposed(
    int64_t ic, int64_t oc, int64_t taps, int64_t groups, const float* packed, float* w);

}  // namespace planish::kernels
