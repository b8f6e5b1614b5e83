// What operator files share for inference: axes, broadcasting of symbolic shapes, the common kinds
// of element-wise operators, and arithmetic on known integer content.
//
// Every helper that takes an InferContext reports a broken rule through context.fail(), so the
// message carries operator and node. Unknown facts stay unknown: nothing here guesses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace planish::ops {

// --- axes

// `axis` in [-rank, rank) as a number in [0, rank). `what` names the attribute or input.
int64_t normalize_axis(const InferContext& context,
                       int64_t axis,
                       int64_t rank,
                       std::string_view what = "axis");
// All of them, in the given order; a repeated axis is an error.
std::vector<int64_t> normalize_axes(const InferContext& context,
                                    std::span<const int64_t> axes,
                                    int64_t rank,
                                    std::string_view what = "axes");

// --- dims and shapes

// The product, 1 for none. Exact: an overflow throws kInvalidModel.
SizeExpr product(std::span<const SizeExpr> dims);
// `rank` fresh dims.
Shape fresh_shape(InferContext& context, int64_t rank);
Shape to_shape(std::span<const int64_t> dims);
// Demands that two dims are equal where both are known; returns the better known of the two (a
// constant before an expression). `what` completes "... differ".
SizeExpr same_dim(const InferContext& context,
                  const SizeExpr& a,
                  const SizeExpr& b,
                  std::string_view what);

// One dim of a broadcast. Equal: that. A constant 1: the other. A constant against an unknown: the
// constant (the unknown must be 1 or equal). Two unknowns: max(a, b) * min(a, b, 1), which is exact
// for every legal pair, 0 against 1 included. Two different constants: an error.
SizeExpr broadcast_dim(const InferContext& context, const SizeExpr& a, const SizeExpr& b);
Shape broadcast(const InferContext& context, const Shape& a, const Shape& b);
// Of all inputs from `first` to before `last` that are present; nothing when one has no known rank.
std::optional<Shape> broadcast_inputs(const InferContext& context, size_t first, size_t last);

// --- whole operators

// A tensor type, with shape when there is one.
Type tensor_type(DType dtype, std::optional<Shape> shape);
// Output takes the type of the input (tensors, sequences, anything), known content included.
void same_as_input(InferContext& context, size_t input = 0, size_t output = 0);
// Inference functions ready for OpDef::infer:
void infer_same(InferContext& context);       // unary element-wise: output 0 like input 0
void infer_broadcast(InferContext& context);  // n-ary element-wise: dtype of input 0
void infer_compare(InferContext& context);    // the same with a bool result

// --- known integer content

// int32 and int64 tensors of at most kMaxSymbolicElements elements; nothing for others.
inline constexpr int64_t kMaxSymbolicElements = 4096;
std::optional<ir::SymbolicTensor> symbolic_content(const Tensor& tensor);

using SymbolicFn = SizeExpr (*)(const SizeExpr&, const SizeExpr&);
// Element-wise with broadcasting of the (concrete) dims; nothing when the dims do not fit, the
// result is larger than kMaxSymbolicElements, or `fn` overflows or divides by zero.
std::optional<ir::SymbolicTensor> elementwise(const ir::SymbolicTensor& a,
                                              const ir::SymbolicTensor& b,
                                              SymbolicFn fn);
// Sets the content of output 0 when inputs 0 and 1 are known.
void propagate_binary(InferContext& context, SymbolicFn fn);

}  // namespace planish::ops
