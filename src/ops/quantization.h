// Rules of scales and zero points in inference.
#pragma once

#include "ops/op.h"

namespace planish::ops {

// Input `scale` must be one number, or one per element of the axis, or blocks of it (attributes
// axis, block_size); input `zero`, when given, of the same shape. Checked where shapes are known.
void check_scales(const InferContext& context, size_t x, size_t scale, size_t zero);
// The dtype that an integer attribute names; kUndefined when it is missing or 0. Fails when
// unknown.
DType dtype_attribute(const InferContext& context, std::string_view name);
// Before opset 13 there was one scale per tensor and no axis.
void upgrade_scales(UpgradeContext& context);

extern const TypeSet kQuantizedIn;  // what DequantizeLinear reads: kAnyQuantized and int32
extern const TypeSet kScale;        // float16, bfloat16, float32 and powers of two

}  // namespace planish::ops
