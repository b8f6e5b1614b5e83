// QLinearConv: exact int32 convolution with an int32 bias, rescaled by x_scale * w_scale / y_scale
// (w: one, or one per output channel) and quantized.
#include "reference/convolution.h"
#include "reference/quantization.h"
#include "reference/quantized_conv.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_qlinear_conv(const Call& call) {
  const Tensor &x = call.tensor(0), &w = call.tensor(3), &zero = call.tensor(7);
  const Convolution c = read_convolution(call, x.dims(), w.dims());
  std::vector<double> y = work_buffer(call, zero.dtype(), c.output_dims);
  convolve(call, c, less_channel_zero(call, x, &call.tensor(2), false).data(),
           less_channel_zero(call, w, &call.tensor(5), true).data(), y.data());
  const int64_t channels = w.dim(0), positions = c.window.output_size();
  if (call.has(8)) add_channel_bias(call, call.tensor(8), c.batch, channels, positions, y.data());
  const Tensor& w_scale = call.tensor(4);
  if (call.tensor(1).size() != 1 || call.tensor(6).size() != 1 || zero.size() != 1 ||
      (w_scale.size() != 1 && w_scale.size() != channels)) {
    fail(ErrorCode::kInvalidInput,
         "{}: scales of x and y are one number, those of w one or one for each of {} channels",
         call.op, channels);
  }
  const double ratio = load_double(call.tensor(1), 0) / load_double(call.tensor(6), 0);
  const std::vector<double> scales = to_doubles(w_scale);
  const CodeRange range = code_range(zero.dtype());
  const double shift = load_double(zero, 0);
  for (size_t i = 0; i < y.size(); ++i) {
    const auto m = static_cast<size_t>(static_cast<int64_t>(i) / positions % channels);
    y[i] = saturate(
        saturate(y[i] * ratio * scales[scales.size() == 1 ? 0 : m], {-1e9, 1e9}) + shift, range);
  }
  return results(from_doubles(zero.dtype(), c.output_dims, y));
}

}  // namespace

PLANISH_REFERENCE(qlinear_conv) { return {"", "QLinearConv", &eval_qlinear_conv}; }

}  // namespace planish::reference
