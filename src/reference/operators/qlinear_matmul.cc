// QLinearMatMul: the product of the dequantized operands, quantized again. The accumulation is
// exact; scales multiply once.
#include "reference/matmul.h"
#include "reference/quantization.h"
#include "reference/quantized_matmul.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<double> dequantized(const Call& call, size_t first, bool columns) {
  const Tensor& t = call.tensor(first);
  std::vector<double> values = less_zero_point(call, t, &call.tensor(first + 2), columns);
  const Tensor& scale = call.tensor(first + 1);
  if (scale.size() == 1) return values;  // one scale multiplies the sums instead
  const MatrixParameter map(call, t.dims(), scale.dims(), columns);
  const std::vector<double> scales = to_doubles(scale);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] *= scales[static_cast<size_t>(map.index(static_cast<int64_t>(i)))];
  return values;
}

std::vector<Value> eval_qlinear_matmul(const Call& call) {
  const Tensor &a = call.tensor(0), &b = call.tensor(3), &zero = call.tensor(7);
  const MatrixProduct p = read_matmul(call, a.dims(), b.dims());
  std::vector<double> y = work_buffer(call, zero.dtype(), p.output_dims);
  multiply(call, p, dequantized(call, 0, false).data(), dequantized(call, 3, true).data(),
           y.data());
  double factor = 1;
  for (const size_t i : {size_t{1}, size_t{4}}) {
    if (call.tensor(i).size() == 1) factor *= load_double(call.tensor(i), 0);
  }
  // The result's scale and zero point: one number, or one per row.
  Dims matrix = p.output_dims;
  if (matrix.empty()) matrix = {1};
  const MatrixParameter scale_map(call, matrix, call.tensor(6).dims(), false),
      zero_map(call, matrix, zero.dims(), false);
  const std::vector<double> scales = to_doubles(call.tensor(6)), zeros = to_doubles(zero);
  const bool integer = is_integer(zero.dtype());
  const CodeRange range = integer ? code_range(zero.dtype()) : CodeRange{};
  for (size_t i = 0; i < y.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const double q = y[i] * factor / scales[static_cast<size_t>(scale_map.index(at))];
    const double z = zeros[static_cast<size_t>(zero_map.index(at))];
    y[i] = integer ? saturate(saturate(q, {-1e9, 1e9}) + z, range) : q + z;
  }
  return results(from_doubles(zero.dtype(), p.output_dims, y, true));
}

}  // namespace

PLANISH_REFERENCE(qlinear_matmul) { return {"", "QLinearMatMul", &eval_qlinear_matmul}; }

}  // namespace planish::reference
