// Elementwise operators on float32, and the epilogue chain that other kernels run on their output
// while it is hot in cache.
//
// Semantics are ONNX's: NaN goes through every operator, Min and Max included; Round is half to
// even.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/isa.h"
#include "kernels/kernel.h"

namespace planish::kernels {

// p0 and p1 are the operator's parameters; where a name says none there are none.
enum class Unary : uint8_t {
  kAffine,  // x * p0 + p1
  kRelu,
  kLeakyRelu,        // p0: slope below zero
  kThresholdedRelu,  // p0: threshold
  kClip,             // p0: lower, p1: upper bound
  kSigmoid,
  kHardSigmoid,  // clamp(p0 * x + p1, 0, 1)
  kHardSwish,    // x * clamp(x / 6 + 1/2, 0, 1)
  kSwish,        // x * sigmoid(p0 * x)
  kTanh,
  kExp,
  kErf,
  kGelu,  // x / 2 * (1 + erf(x / sqrt 2))
  kGeluTanh,
  kElu,   // p0: alpha
  kSelu,  // p0: alpha, p1: gamma
  kCelu,  // p0: alpha
  kSoftsign,
  kSqrt,
  kReciprocal,
  kNeg,
  kAbs,
  kFloor,
  kCeil,
  kRound,
  kSign,
  // Through the C library, one element at a time.
  kLog,
  kSoftplus,
  kMish,
  kSin,
  kCos,
  kCount
};

enum class Binary : uint8_t { kAdd, kSub, kMul, kDiv, kMin, kMax, kPRelu, kPow, kCount };

std::string_view to_string(Unary op);  // "relu", "leaky_relu", ...
std::string_view to_string(Binary op);
std::optional<Unary> parse_unary(std::string_view name);
std::optional<Binary> parse_binary(std::string_view name);

inline constexpr int kMaxEpilogue = 4;

// One operator applied to an output tile. Binary: the other operand's element for output
// (batch, row, column) is operand[batch * batch_stride + row * row_stride + column *
// column_stride], column_stride 0 or 1.
struct EpilogueOp {
  bool is_binary = false;
  Unary unary = Unary::kRelu;
  Binary binary = Binary::kAdd;
  bool flow_first = true;  // the tile is the first operand
  float p0 = 0, p1 = 0;
  const float* operand = nullptr;
  int64_t batch_stride = 0, row_stride = 0, column_stride = 0;
};

struct PointwiseVariant;

struct Epilogue {
  int count = 0;
  EpilogueOp ops[kMaxEpilogue];
  const PointwiseVariant* functions = nullptr;  // set when count > 0
};

struct PointwiseVariant {
  const char* name;
  Isa isa;
  // y[i] = op(x[i]); x == y is fine, other overlap is not.
  void (*unary)(Unary op, float p0, float p1, const float* x, float* y, int64_t n);
  // y[i] = op(a[i * a_step], b[i * b_step]), steps 0 or 1.
  void (*binary)(Binary op,
                 const float* a,
                 int64_t a_step,
                 const float* b,
                 int64_t b_step,
                 float* y,
                 int64_t n);
  // Applies the chain to y[0..n): row `row`, columns from `column` on, of batch `batch`.
  void (*epilogue)(
      const Epilogue& chain, int64_t batch, int64_t row, int64_t column, float* y, int64_t n);
  const char* (*supports)(int);  // always null: every machine of the ISA runs it
};

std::span<const PointwiseVariant> pointwise_variants();
const PointwiseVariant& best_pointwise();

}  // namespace planish::kernels
