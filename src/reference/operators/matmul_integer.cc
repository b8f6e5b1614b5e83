// MatMulInteger: int32 product of 8-bit operands less their zero points. Zero points are one
// number, or one per row of A, one per column of B (with A's or B's batch dims, or without).
#include "reference/matmul.h"
#include "reference/quantized_matmul.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_matmul_integer(const Call& call) {
  const Tensor &a = call.tensor(0), &b = call.tensor(1);
  const MatrixProduct p = read_matmul(call, a.dims(), b.dims());
  std::vector<double> y = work_buffer(call, DType::kInt32, p.output_dims);
  const std::vector<double> x =
      less_zero_point(call, a, call.has(2) ? &call.tensor(2) : nullptr, false);
  const std::vector<double> w =
      less_zero_point(call, b, call.has(3) ? &call.tensor(3) : nullptr, true);
  multiply(call, p, x.data(), w.data(), y.data());
  return results(from_doubles(DType::kInt32, p.output_dims, y));
}

}  // namespace

PLANISH_REFERENCE(matmul_integer) { return {"", "MatMulInteger", &eval_matmul_integer}; }

}  // namespace planish::reference
