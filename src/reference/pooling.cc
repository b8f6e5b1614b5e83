#include "reference/pooling.h"

#include "reference/work.h"

namespace planish::reference {

Pooling read_pooling(const Call& call, const Dims& x) {
  if (x.size() < 3) {
    fail(ErrorCode::kInvalidInput, "{}: the input [{}] must have rank 3 or more", call.op,
         dims_to_string(x));
  }
  Pooling p;
  p.window =
      place_window(read_window(call.attributes, x.size() - 2, nullptr), std::span(x).subspan(2));
  p.planes = x[0] * x[1];
  p.output_dims = {x[0], x[1]};
  p.output_dims.insert(p.output_dims.end(), p.window.output.begin(), p.window.output.end());
  return p;
}

std::vector<Value> pool_planes(const Call& call, double (*f)(const Call&, const double*, int64_t)) {
  const Tensor& x = call.tensor(0);
  if (x.rank() < 2) {
    fail(ErrorCode::kInvalidInput, "{}: the input [{}] must have rank 2 or more", call.op,
         dims_to_string(x.dims()));
  }
  Dims dims(x.dims().size(), 1);
  dims[0] = x.dim(0), dims[1] = x.dim(1);
  const int64_t cells = span_size(x.dims(), 2, x.rank());
  std::vector<double> y = work_buffer(call, x.dtype(), dims);
  const std::vector<double> values = to_doubles(x);
  for (size_t i = 0; i < y.size(); ++i)
    y[i] = f(call, values.data() + static_cast<int64_t>(i) * cells, cells);
  return results(from_doubles(x.dtype(), dims, y));
}

}  // namespace planish::reference
