// Elementwise operators over broadcast operands, where, comparisons and integer arithmetic.
//
// The output is contiguous; an operand is a base and one stride (in elements) per output dim, 0
// where it is repeated. make_index() merges neighbouring dims, so that the usual cases end with
// one or two.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/kernel.h"
#include "kernels/pointwise/pointwise.h"

namespace planish::kernels {

inline constexpr int kMaxRank = 8;
inline constexpr int kMaxOperands = 3;

// dims[rank-1] is innermost; rank >= 1 after make_index.
struct BroadcastIndex {
  int rank = 1;
  int operands = 0;
  int64_t dims[kMaxRank] = {1};
  int64_t strides[kMaxOperands][kMaxRank] = {};
  int64_t count = 1;  // product of dims
};

// `shapes` are the operands' dims, aligned at the last dim with `out` and broadcast to it. False
// when an operand does not broadcast to `out` or more than kMaxRank dims remain after merging.
bool make_index(std::span<const int64_t> out,
                std::span<const std::span<const int64_t>> shapes,
                BroadcastIndex& index);

struct BinaryArgs {
  Binary op = Binary::kAdd;
  BroadcastIndex index;
  const float* a = nullptr;
  const float* b = nullptr;
  float* y = nullptr;
  const PointwiseVariant* functions = nullptr;
  Epilogue epilogue;  // columns are elements of y; no rows, no batch
};
Status binary_f32(const BinaryArgs* args, int worker, int workers);

struct UnaryArgs {
  Unary op = Unary::kRelu;
  float p0 = 0, p1 = 0;
  int64_t count = 0;
  const float* x = nullptr;
  float* y = nullptr;
  const PointwiseVariant* functions = nullptr;
};
Status unary_f32(const UnaryArgs* args, int worker, int workers);

// Integer arithmetic (wrapping), comparisons (bool results) and logic, by element type.
enum class ScalarOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kMin,
  kMax,
  kEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kAnd,
  kOr,
  kXor
};
enum class ScalarType : uint8_t { kF32, kI32, kI64, kBool };
struct ScalarArgs {
  ScalarOp op = ScalarOp::kAdd;
  ScalarType type = ScalarType::kI64;
  BroadcastIndex index;
  const void* a = nullptr;
  const void* b = nullptr;
  void* y = nullptr;
};
bool scalar_supported(ScalarOp op, ScalarType type);
Status scalar_binary(const ScalarArgs* args, int worker, int workers);

// y = condition ? a : b, elements of 1, 2, 4 or 8 bytes. Operand 0 of the index is the condition.
struct WhereArgs {
  BroadcastIndex index;
  int element_bytes = 4;
  const uint8_t* condition = nullptr;
  const void* a = nullptr;
  const void* b = nullptr;
  void* y = nullptr;
};
Status where(const WhereArgs* args, int worker, int workers);

}  // namespace planish::kernels
