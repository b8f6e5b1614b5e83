// MatMul: numpy's matmul. Floats in double, integers modulo their width.
#include "reference/matmul.h"

#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_matmul(const Call& call) {
  const Tensor &a = call.tensor(0), &b = call.tensor(1);
  const MatrixProduct p = read_matmul(call, a.dims(), b.dims());
  if (is_floating(a.dtype())) {
    std::vector<double> c = work_buffer(call, a.dtype(), p.output_dims);
    multiply(call, p, to_doubles(a).data(), to_doubles(b).data(), c.data());
    return results(from_doubles(a.dtype(), p.output_dims, c));
  }
  std::vector<int64_t> c = work_buffer<int64_t>(call, a.dtype(), p.output_dims);
  const std::vector<int64_t> x = to_ints(a), y = to_ints(b);
  // Signed and unsigned 64-bit integers may alias; the product is modulo 2^64.
  multiply(call, p, reinterpret_cast<const uint64_t*>(x.data()),
           reinterpret_cast<const uint64_t*>(y.data()), reinterpret_cast<uint64_t*>(c.data()));
  return results(from_ints(a.dtype(), p.output_dims, c));
}

}  // namespace

PLANISH_REFERENCE(matmul) { return {"", "MatMul", &eval_matmul}; }

}  // namespace planish::reference
