// Shapes of ai.onnx.ml operators that read rows of features.
#pragma once

#include <vector>

#include "ops/op.h"

namespace planish::ops {

inline constexpr std::string_view kMlDomain = "ai.onnx.ml";
extern const TypeSet kFeatures;  // float32, float64, int64, int32

// Rows of input 0: its first dim; 1 for a vector. Fails for other ranks than 1 and 2.
SizeExpr row_count(InferContext& context);
// Label vector (output 0) and score matrix (output 1) of a classifier whose labels stand in one of
// these attributes.
void infer_classifier(InferContext& context, std::string_view ints, std::string_view strings);
// float32 rows of the input's shape.
void infer_float_rows(InferContext& context);
// [rows, targets] of this type.
void infer_regressor(InferContext& context, int64_t targets, DType dtype);

}  // namespace planish::ops
