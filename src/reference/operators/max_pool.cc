// MaxPool: the maximum of the cells on the input, a NaN winning; optionally its index in the whole
// tensor, the first one of equals. A window wholly on padding gives the least value and index -1.
#include <cmath>
#include <limits>

#include "reference/pooling.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

// The plane offset of a row-major `offset` when the plane is numbered column-major.
int64_t column_major(int64_t offset, const Dims& dims) {
  Dims at(dims.size());
  unravel(offset, dims, at);
  int64_t result = 0;
  for (size_t a = dims.size(); a-- > 0;) result = result * dims[a] + at[a];
  return result;
}

std::vector<Value> eval_max_pool(const Call& call) {
  const Tensor& x = call.tensor(0);
  const Pooling p = read_pooling(call, x.dims());
  const bool by_column = call.attributes.get_int("storage_order", 0) != 0;
  std::vector<double> y = work_buffer(call, x.dtype(), p.output_dims);
  std::vector<int64_t> indices = work_buffer<int64_t>(call, DType::kInt64, p.output_dims);
  const std::vector<double> values = to_doubles(x);
  const double lowest = x.dtype() == DType::kUint8  ? 0.0
                        : x.dtype() == DType::kInt8 ? -128.0
                                                    : -std::numeric_limits<double>::infinity();
  const int64_t in = p.window.input_size(), out = p.window.output_size();
  for_windows(call, p.window,
              [&](int64_t o, std::span<const int64_t>, const std::vector<int64_t>& offsets) {
                for (int64_t plane = 0; plane < p.planes; ++plane) {
                  double best = lowest;
                  int64_t index = -1;
                  for (const int64_t offset : offsets) {
                    const double v = values[static_cast<size_t>(plane * in + offset)];
                    if (index < 0 || v > best || (std::isnan(v) && !std::isnan(best)))
                      best = v, index = offset;
                  }
                  y[static_cast<size_t>(plane * out + o)] = best;
                  if (index >= 0)
                    index = plane * in + (by_column ? column_major(index, p.window.input) : index);
                  indices[static_cast<size_t>(plane * out + o)] = index;
                }
              });
  std::vector<Value> result = results(from_doubles(x.dtype(), p.output_dims, y));
  if (call.outputs > 1) result.emplace_back(from_ints(DType::kInt64, p.output_dims, indices));
  return result;
}

}  // namespace

PLANISH_REFERENCE(max_pool) { return {"", "MaxPool", &eval_max_pool}; }

}  // namespace planish::reference
