// DynamicQuantizeLinear: uint8 with a scale that covers the data's range, 0 included. Scale and
// zero point are float32 arithmetic by definition, so that the codes are reproducible.
#include <algorithm>

#include "reference/quantization.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_dynamic_quantize_linear(const Call& call) {
  const Tensor& x = call.tensor(0);
  const std::vector<double> values = to_doubles(x);
  float low = 0, high = 0;
  for (const double v : values) {
    low = std::min(low, static_cast<float>(v));
    high = std::max(high, static_cast<float>(v));
  }
  const float scale = (high - low) / 255.0f;
  const CodeRange range = code_range(DType::kUint8);
  // All zeros: any scale serves; the quotients below must not be 0 / 0.
  const double zero = scale == 0 ? 0.0 : saturate(static_cast<double>((0.0f - low) / scale), range);
  std::vector<double> y(values.size());
  for (size_t i = 0; i < y.size(); ++i) {
    const float quotient = scale == 0 ? 0.0f : static_cast<float>(values[i]) / scale;
    y[i] = saturate(saturate(static_cast<double>(quotient), {-1e9, 1e9}) + zero, range);
  }
  return results(from_doubles(DType::kUint8, x.dims(), y), Tensor::scalar<float>(scale),
                 Tensor::scalar<uint8_t>(static_cast<uint8_t>(zero)));
}

}  // namespace

PLANISH_REFERENCE(dynamic_quantize_linear) {
  return {"", "DynamicQuantizeLinear", &eval_dynamic_quantize_linear};
}

}  // namespace planish::reference
