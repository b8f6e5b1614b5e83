// ConvInteger: int32 convolution of 8-bit operands less their zero points (x: one number, w: one,
// or one per output channel). Padding adds nothing: it lies at the zero point.
#include "reference/convolution.h"
#include "reference/quantized_conv.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_conv_integer(const Call& call) {
  const Tensor &x = call.tensor(0), &w = call.tensor(1);
  const Convolution c = read_convolution(call, x.dims(), w.dims());
  std::vector<double> y = work_buffer(call, DType::kInt32, c.output_dims);
  convolve(
      call, c, less_channel_zero(call, x, call.has(2) ? &call.tensor(2) : nullptr, false).data(),
      less_channel_zero(call, w, call.has(3) ? &call.tensor(3) : nullptr, true).data(), y.data());
  return results(from_doubles(DType::kInt32, c.output_dims, y));
}

}  // namespace

PLANISH_REFERENCE(conv_integer) { return {"", "ConvInteger", &eval_conv_integer}; }

}  // namespace planish::reference
