// float32 max and average pooling over two spatial dims, NCHW (1-D is the case ih = kh = oh = 1).
// Global pooling is a reduction: norm/norm.h.
//
// Each output row is made in two steps: the input rows of its window are combined into one row,
// then that row is combined along the width. Max ignores the padding and lets NaN through. Average
// divides by the number of input elements in the window, or with count_include_pad by that of
// positions within the padded input.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/variants.h"

namespace planish::kernels {

enum class PoolKind : uint8_t { kMax, kAverage };

struct PoolProblem {
  PoolKind kind = PoolKind::kMax;
  int64_t planes = 1;  // n * c
  int64_t ih = 1, iw = 1, oh = 1, ow = 1;
  int64_t kh = 1, kw = 1, sh = 1, sw = 1, dh = 1, dw = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  bool count_include_pad = false;
};

struct PoolArgs {
  PoolProblem problem;
  const float* x = nullptr;
  float* y = nullptr;
  float* workspace = nullptr;  // workers x workspace_floats
};

struct PoolVariant {
  const char* name;
  Isa isa;
  const char* (*supports)(const PoolProblem& problem);
  int64_t (*workspace_floats)(const PoolProblem& problem);  // per worker
  Status (*run)(const PoolArgs* args, int worker, int workers);
};

std::span<const PoolVariant> pool_variants();
const PoolVariant* find_pool(std::string_view name);

}  // namespace planish::kernels
