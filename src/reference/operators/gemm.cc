// Gemm: y = alpha * A' * B' + beta * C, A' and B' optionally transposed, C broadcast to y.
#include <cmath>

#include "reference/product.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

// Strides with which C [.., ..] is read over y [m, n]; throws when it does not broadcast.
std::pair<int64_t, int64_t> bias_strides(const Call& call, const Dims& c, int64_t m, int64_t n) {
  const int64_t rows = c.size() >= 2 ? c[c.size() - 2] : 1, columns = c.empty() ? 1 : c.back();
  if (c.size() > 2 || (rows != 1 && rows != m) || (columns != 1 && columns != n)) {
    fail(ErrorCode::kInvalidInput, "{}: C [{}] does not broadcast to the result {}x{}", call.op,
         dims_to_string(c), m, n);
  }
  return {rows == 1 ? 0 : columns, columns == 1 ? 0 : 1};
}

template <class T>
Matrix<T> view(const T* data, const Dims& dims, bool transposed) {
  return transposed ? Matrix<T>{data, 1, dims[1]} : Matrix<T>{data, dims[1], 1};
}

std::vector<Value> eval_gemm(const Call& call) {
  const Tensor &a = call.tensor(0), &b = call.tensor(1);
  const bool ta = call.attributes.get_int("transA", 0) != 0,
             tb = call.attributes.get_int("transB", 0) != 0;
  const double alpha = call.attributes.get_float("alpha", 1.0f),
               beta = call.attributes.get_float("beta", 1.0f);
  if (a.rank() != 2 || b.rank() != 2) {
    fail(ErrorCode::kInvalidInput, "{}: A [{}] and B [{}] must be matrices", call.op,
         dims_to_string(a.dims()), dims_to_string(b.dims()));
  }
  const int64_t m = a.dim(ta ? 1 : 0), k = a.dim(ta ? 0 : 1), n = b.dim(tb ? 0 : 1);
  if (b.dim(tb ? 1 : 0) != k) {
    fail(ErrorCode::kInvalidInput, "{}: the inner dims differ: {} and {}", call.op, k,
         b.dim(tb ? 1 : 0));
  }
  const Dims dims = {m, n};
  const bool bias = call.has(2);
  const auto [row, column] =
      bias ? bias_strides(call, call.tensor(2).dims(), m, n) : std::pair<int64_t, int64_t>{};

  if (!is_floating(a.dtype()) && alpha == 1 && (beta == 1 || !bias)) {  // exact in integers
    std::vector<uint64_t> y = work_buffer<uint64_t>(call, a.dtype(), dims);
    const std::vector<int64_t> x = to_ints(a), z = to_ints(b),
                               c = bias ? to_ints(call.tensor(2)) : std::vector<int64_t>{};
    add_product(call, m, n, k, view(reinterpret_cast<const uint64_t*>(x.data()), a.dims(), ta),
                view(reinterpret_cast<const uint64_t*>(z.data()), b.dims(), tb), y.data(), n);
    for (int64_t i = 0; bias && i < m * n; ++i) {
      y[static_cast<size_t>(i)] +=
          static_cast<uint64_t>(c[static_cast<size_t>(i / n * row + i % n * column)]);
    }
    return results(from_ints(a.dtype(), dims,
                             std::span(reinterpret_cast<const int64_t*>(y.data()), y.size())));
  }
  std::vector<double> y = work_buffer(call, a.dtype(), dims);
  const std::vector<double> x = to_doubles(a), z = to_doubles(b),
                            c = bias ? to_doubles(call.tensor(2)) : std::vector<double>{};
  add_product(call, m, n, k, view(x.data(), a.dims(), ta), view(z.data(), b.dims(), tb), y.data(),
              n);
  for (int64_t i = 0; i < m * n; ++i) {
    double& v = y[static_cast<size_t>(i)];
    v *= alpha;
    // beta = 0 leaves C out even where it is not finite, as BLAS does.
    if (bias && beta != 0) v += beta * c[static_cast<size_t>(i / n * row + i % n * column)];
    if (!is_floating(a.dtype())) v = std::trunc(v);
  }
  return results(from_doubles(a.dtype(), dims, y));
}

}  // namespace

PLANISH_REFERENCE(gemm) { return {"", "Gemm", &eval_gemm}; }

}  // namespace planish::reference
