// float32 reductions and normalisations.
//
// Reductions see their input as [outer, axis, inner] and write [outer, inner]. Sums run in a fixed
// number of chains that depends on the sizes and the instruction set only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/variants.h"

namespace planish::kernels {

enum class ReduceOp : uint8_t { kSum, kMean, kMax, kMin, kSumSquare, kL1, kL2, kCount };

struct ReduceArgs {
  ReduceOp op = ReduceOp::kSum;
  int64_t outer = 1, axis = 1, inner = 1;
  const float* x = nullptr;
  float* y = nullptr;
};

// y = (x - mean[c]) * scale[c] / sqrt(variance[c] + epsilon) + bias[c] over [n, channels, inner].
struct BatchNormArgs {
  int64_t n = 1, channels = 1, inner = 1;
  float epsilon = 1e-5f;
  const float* x = nullptr;
  const float* scale = nullptr;
  const float* bias = nullptr;
  const float* mean = nullptr;
  const float* variance = nullptr;
  float* y = nullptr;
};

// Each of `rows` rows of `width`: y = (x - mean) / sqrt(variance + epsilon) * scale + bias.
struct LayerNormArgs {
  int64_t rows = 1, width = 1;
  // 0: scale and bias have one element a column. Else row r takes element r % channels of both
  // (InstanceNormalization).
  int64_t channels = 0;
  float epsilon = 1e-5f;
  const float* x = nullptr;
  const float* scale = nullptr;
  const float* bias = nullptr;  // may be null
  float* y = nullptr;
  float* mean = nullptr;         // [rows], may be null
  float* inverse_std = nullptr;  // [rows], may be null
};

struct NormVariant {
  const char* name;
  Isa isa;
  const char* (*supports)(int);  // always null
  Status (*reduce)(const ReduceArgs* args, int worker, int workers);
  Status (*batch_norm)(const BatchNormArgs* args, int worker, int workers);
  Status (*layer_norm)(const LayerNormArgs* args, int worker, int workers);
};

std::span<const NormVariant> norm_variants();
const NormVariant* find_norm(std::string_view name);

}  // namespace planish::kernels
