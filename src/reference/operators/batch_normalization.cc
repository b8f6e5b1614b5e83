// BatchNormalization: (x - mean) / sqrt(var + epsilon) * scale + bias per channel (axis 1; an input
// of rank 1 is one channel). In training mode mean and population variance are the batch's own, and
// outputs 1 and 2 are the running ones.
#include <cmath>

#include "reference/work.h"

namespace planish::reference {
namespace {

struct Channels {
  int64_t batch, channels, cells;
};

std::vector<double> per_channel(const Call& call, size_t input, int64_t channels) {
  const Tensor& t = call.tensor(input);
  if (t.dims() != Dims{channels}) {
    fail(ErrorCode::kInvalidInput, "{}: input {} is [{}], but there are {} channels", call.op,
         input, dims_to_string(t.dims()), channels);
  }
  return to_doubles(t);
}

// Mean and population variance of every channel.
void batch_statistics(const Channels& s,
                      const std::vector<double>& x,
                      std::vector<double>& mean,
                      std::vector<double>& var) {
  const auto count = static_cast<double>(s.batch * s.cells);
  for (int64_t c = 0; c < s.channels; ++c) {
    const auto each = [&](auto&& f) {
      double sum = 0;
      for (int64_t n = 0; n < s.batch; ++n) {
        for (int64_t i = 0; i < s.cells; ++i)
          sum += f(x[static_cast<size_t>((n * s.channels + c) * s.cells + i)]);
      }
      return sum / count;
    };
    const double m = each([](double v) { return v; });
    mean[static_cast<size_t>(c)] = m;
    var[static_cast<size_t>(c)] = each([m](double v) { return (v - m) * (v - m); });
  }
}

std::vector<Value> eval_batch_normalization(const Call& call) {
  const Tensor& x = call.tensor(0);
  if (x.rank() < 1) fail(ErrorCode::kInvalidInput, "{}: the input is a scalar", call.op);
  Channels s{x.dim(0), x.rank() == 1 ? 1 : x.dim(1), 1};
  s.cells = span_size(x.dims(), 2, x.rank());
  const double epsilon = call.attributes.get_float("epsilon", 1e-5f);
  const double momentum = call.attributes.get_float("momentum", 0.9f);
  const bool training = call.attributes.get_int("training_mode", 0) != 0;
  const std::vector<double> scale = per_channel(call, 1, s.channels),
                            bias = per_channel(call, 2, s.channels);
  const std::vector<double> input_mean = per_channel(call, 3, s.channels),
                            input_var = per_channel(call, 4, s.channels);
  std::vector<double> y = to_doubles(x);
  std::vector<double> mean = input_mean, var = input_var;
  if (training) batch_statistics(s, y, mean, var);
  call.parallel_for(s.batch * s.channels, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const auto c = static_cast<size_t>(p % s.channels);
      const double root = std::sqrt(var[c] + epsilon);
      for (int64_t i = 0; i < s.cells; ++i) {
        double& v = y[static_cast<size_t>(p * s.cells + i)];
        v = (v - mean[c]) / root * scale[c] + bias[c];
      }
    }
  });
  std::vector<Value> out = results(from_doubles(x.dtype(), x.dims(), y));
  const auto running = [&](const std::vector<double>& old, const std::vector<double>& now,
                           DType dtype) {
    std::vector<double> mixed(old);
    for (size_t i = 0; i < mixed.size() && training; ++i)
      mixed[i] = old[i] * momentum + now[i] * (1 - momentum);
    return from_doubles(dtype, {s.channels}, mixed);
  };
  if (call.outputs > 1) out.emplace_back(running(input_mean, mean, call.tensor(3).dtype()));
  if (call.outputs > 2) out.emplace_back(running(input_var, var, call.tensor(4).dtype()));
  return out;
}

}  // namespace

PLANISH_REFERENCE(batch_normalization) {
  return {"", "BatchNormalization", &eval_batch_normalization};
}

}  // namespace planish::reference
