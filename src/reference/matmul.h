// Shapes of a numpy-style matrix product, shared by MatMul, MatMulInteger and QLinearMatMul.
#pragma once

#include <cstdint>

#include "reference/product.h"
#include "reference/reference.h"

namespace planish::reference {

struct MatrixProduct {
  int64_t m = 0, n = 0, k = 0;
  Dims output_dims;
  std::vector<int64_t> a_offsets, b_offsets;  // first element of each batch's matrices
};

// Broadcasts the batch dims; a 1-D operand is a row (left) or a column (right) whose axis the
// result lacks. Throws kInvalidInput when dims do not match or an operand has rank 0.
MatrixProduct read_matmul(const Call& call, Dims a, Dims b);

// c [batches, m, n] += a * b.
template <class T>
void multiply(const Call& call, const MatrixProduct& p, const T* a, const T* b, T* c) {
  const auto batches = static_cast<int64_t>(p.a_offsets.size());
  const auto one = [&](int64_t i, auto&& run) {
    run(Matrix<T>{a + p.a_offsets[static_cast<size_t>(i)], p.k, 1},
        Matrix<T>{b + p.b_offsets[static_cast<size_t>(i)], p.n, 1}, c + i * p.m * p.n);
  };
  if (batches < 4) {  // few large products: the workers share each
    for (int64_t i = 0; i < batches; ++i) {
      one(i,
          [&](Matrix<T> x, Matrix<T> y, T* z) { add_product(call, p.m, p.n, p.k, x, y, z, p.n); });
    }
    return;
  }
  call.parallel_for(batches, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      one(i, [&](Matrix<T> x, Matrix<T> y, T* z) { add_product(p.m, p.n, p.k, x, y, z, p.n); });
    }
  });
}

}  // namespace planish::reference
