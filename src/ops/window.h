// Symbolic shape inference of windows over spatial axes (convolutions and pools). The attribute
// reader is the reference's; the arithmetic is done here on expressions, independently of it.
#pragma once

#include <optional>
#include <span>

#include "ops/op.h"
#include "reference/window.h"

namespace planish::ops {

// Spatial dims of the output for an input with these spatial dims. Fails where a known size is too
// small for the window.
Shape window_output(const InferContext& context,
                    const reference::WindowAttributes& window,
                    std::span<const SizeExpr> input);

// Concrete spatial dims of input `weight` [M, C/group, kernel...] when all are known.
std::optional<Dims> known_kernel(const InferContext& context, size_t weight);

// Checks channels and groups of x [N, C, ...] and w [M, C/group, ...] and returns the output shape
// [N, M, ...] of a convolution; nothing while a rank is unknown.
std::optional<Shape> convolution_shape(InferContext& context, size_t x, size_t w);

// [N, C, ...] of a pool over input 0; nothing while its rank is unknown.
std::optional<Shape> pooling_shape(InferContext& context);

// bias (when present and known) must be [channels].
void check_bias(const InferContext& context, size_t bias, const SizeExpr& channels);

// FLOPs of a convolution from its weight [M, C/group, kernel...] and output shape.
double convolution_flops(const Dims& weight, const Dims& output);

// One operation per cell that a window (the whole plane) reads.
Cost pooling_cost(const ir::Node& node,
                  std::span<const Dims> inputs,
                  std::span<const Dims> outputs);
Cost global_pooling_cost(const ir::Node& node,
                         std::span<const Dims> inputs,
                         std::span<const Dims> outputs);

// x [N, C, spatial...] to [N, C, 1...].
void infer_global_pool(InferContext& context);

// Opset 1 wrote the order `p` of a norm as a float; only whole numbers have a present form.
void upgrade_norm_order(UpgradeContext& context);

// Attribute specifications that Conv and the pools share.
std::vector<AttrSpec> window_attributes(std::vector<AttrSpec> extra);

}  // namespace planish::ops
