// DequantizeLinear: y = (x - zero point) * scale.
#include "reference/quantization.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_dequantize_linear(const Call& call) {
  const Tensor &x = call.tensor(0), &scale = call.tensor(1);
  if (call.has(2) && call.tensor(2).dtype() != x.dtype()) {
    fail(ErrorCode::kInvalidInput, "{}: x is {}, its zero point {}", call.op, to_string(x.dtype()),
         to_string(call.tensor(2).dtype()));
  }
  const ScaleMap map(call, x.dims(), scale.dims());
  const std::vector<double> scales = to_doubles(scale), zeros = zero_points(call, 2, scale);
  const auto named = type_attribute(call, "output_dtype", DType::kUndefined);
  // A power-of-two scale names no result type; float32 is what there is then.
  const DType type = named != DType::kUndefined            ? named
                     : scale.dtype() == DType::kFloat8E8M0 ? DType::kFloat32
                                                           : scale.dtype();
  std::vector<double> y = to_doubles(x);
  call.parallel_for(static_cast<int64_t>(y.size()), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto s = static_cast<size_t>(map.index(i));
      y[static_cast<size_t>(i)] = (y[static_cast<size_t>(i)] - zeros[s]) * scales[s];
    }
  });
  return results(from_doubles(type, x.dims(), y));
}

}  // namespace

PLANISH_REFERENCE(dequantize_linear) { return {"", "DequantizeLinear", &eval_dequantize_linear}; }

}  // namespace planish::reference
