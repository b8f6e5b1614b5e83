// Conv: y[n, m, o] = bias[m] + sum over c, t of x[n, c, o * stride - pad + t * dilation] * w[m, c,
// t], within each group of channels.
#include "reference/convolution.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_conv(const Call& call) {
  const Tensor &x = call.tensor(0), &w = call.tensor(1);
  const Convolution c = read_convolution(call, x.dims(), w.dims());
  std::vector<double> y = work_buffer(call, x.dtype(), c.output_dims);
  convolve(call, c, to_doubles(x).data(), to_doubles(w).data(), y.data());
  if (call.has(2))
    add_channel_bias(call, call.tensor(2), c.batch, w.dim(0), c.window.output_size(), y.data());
  return results(from_doubles(x.dtype(), c.output_dims, y));
}

}  // namespace

PLANISH_REFERENCE(conv) { return {"", "Conv", &eval_conv}; }

}  // namespace planish::reference
