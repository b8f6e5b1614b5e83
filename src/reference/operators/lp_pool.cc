// LpPool: (sum |x|^p)^(1/p) over each window; padding adds nothing.
#include <cmath>

#include "reference/pooling.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_lp_pool(const Call& call) {
  const Tensor& x = call.tensor(0);
  const Pooling pool = read_pooling(call, x.dims());
  const auto p = static_cast<double>(call.attributes.get_int("p", 2));
  if (p < 1) fail(ErrorCode::kInvalidModel, "{}: p is {}; it must be 1 or more", call.op, p);
  std::vector<double> y = work_buffer(call, x.dtype(), pool.output_dims);
  const std::vector<double> values = to_doubles(x);
  const int64_t in = pool.window.input_size(), out = pool.window.output_size();
  for_windows(call, pool.window,
              [&](int64_t o, std::span<const int64_t>, const std::vector<int64_t>& offsets) {
                for (int64_t plane = 0; plane < pool.planes; ++plane) {
                  double sum = 0;
                  for (const int64_t offset : offsets) {
                    sum += std::pow(std::abs(values[static_cast<size_t>(plane * in + offset)]), p);
                  }
                  y[static_cast<size_t>(plane * out + o)] = std::pow(sum, 1 / p);
                }
              });
  return results(from_doubles(x.dtype(), pool.output_dims, y));
}

}  // namespace

PLANISH_REFERENCE(lp_pool) { return {"", "LpPool", &eval_lp_pool}; }

}  // namespace planish::reference
