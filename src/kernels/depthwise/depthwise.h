// float32 depthwise convolution, NCHW: each input channel has `multiplier` filters of its own.
// The problem is conv.h's with group_ic() == 1; weights stay as ONNX has them, [oc][1][kh][kw].
//
// A band of input rows is copied into the workspace with its padding, columns split by phase
// (column c goes to phase c % sw, place c / sw), so that whatever stride and dilation the output
// pixels of a row read contiguous floats.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/conv/conv.h"

namespace planish::kernels {

struct DepthwiseVariant {
  const char* name;
  Isa isa;
  const char* (*supports)(const ConvProblem& problem);
  int64_t (*workspace_floats)(const ConvProblem& problem);  // per worker
  // ConvArgs::weights are not packed.
  Status (*run)(const ConvArgs* args, int worker, int workers);
};

std::span<const DepthwiseVariant> depthwise_variants();
const DepthwiseVariant* find_depthwise(std::string_view name);

}  // namespace planish::kernels
