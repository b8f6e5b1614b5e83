// float32 convolution over two spatial dims, NCHW in and out (1-D is the case ih = kh = oh = 1).
//
// As a product per image and group: Y[oc x oh*ow] = W[oc x K] X'[K x oh*ow], K = (ic, kh, kw),
// where X' (im2col) is never stored whole: 16-pixel panels of it are packed into the worker's
// workspace right before use. Weights are packed when the plan is built: per group panels of 6
// output channels, [group][ceil(oc/6)][K][6]. All tactics read that form. The sum over K runs in
// one chain per element: bits do not depend on the number of workers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/gemm/gemm.h"

namespace planish::kernels {

struct ConvProblem {
  int64_t n = 1, groups = 1;
  int64_t ic = 0, ih = 1, iw = 1;  // ic and oc: of all groups
  int64_t oc = 0, oh = 1, ow = 1;
  int64_t kh = 1, kw = 1, sh = 1, sw = 1, dh = 1, dw = 1;
  int64_t pad_top = 0, pad_left = 0;  // what lies below and right follows from oh and ow

  int64_t group_ic() const { return ic / groups; }
  int64_t group_oc() const { return oc / groups; }
  int64_t k() const { return group_ic() * kh * kw; }
};

struct ConvArgs {
  ConvProblem problem;
  const float* x = nullptr;
  const float* weights = nullptr;  // packed
  float* y = nullptr;
  float* workspace = nullptr;  // workers x workspace_floats, 64-byte aligned
  Epilogue epilogue;           // batch: image, row: output channel, column: pixel
};

struct ConvVariant {
  const char* name;
  Isa isa;
  const char* (*supports)(const ConvProblem& problem);
  // Floats of workspace per worker; depends on k() only. At most kMaxConvWorkspace.
  int64_t (*workspace_floats)(int64_t k);
  Status (*run)(const ConvArgs* args, int worker, int workers);
};

inline constexpr int64_t kMaxConvWorkspace = int64_t{512} * 384;

std::span<const ConvVariant> conv_variants();
const ConvVariant* find_conv(std::string_view name);

// Weights [oc][ic/groups][kh][kw] to packed and back; k = ic/groups * kh * kw.
int64_t packed_conv_floats(int64_t oc, int64_t k, int64_t groups);
void pack_conv(int64_t oc, int64_t k, int64_t groups, const float* w, float* packed);
void unpack_conv(int64_t oc, int64_t k, int64_t groups, const float* packed, float* w);

}  // namespace planish::kernels
