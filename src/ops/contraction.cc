#include "ops/contraction.h"

#include "ops/shape_helpers.h"

namespace planish::ops {

std::optional<Shape> matmul_shape(const InferContext& context, size_t a, size_t b) {
  const Shape *first = context.input_shape(a), *second = context.input_shape(b);
  if ((first && first->empty()) || (second && second->empty())) {
    context.fail("a scalar cannot be multiplied as a matrix");
  }
  if (!first || !second) return std::nullopt;
  Shape x = *first, y = *second;
  const bool row = x.size() == 1, column = y.size() == 1;
  if (row) x.insert(x.begin(), 1);
  if (column) y.push_back(1);
  same_dim(context, x.back(), y[y.size() - 2],
           fmt::format("the inner dims of {} and {}", to_string(*first), to_string(*second)));
  Shape result = broadcast(context, Shape(x.begin(), x.end() - 2), Shape(y.begin(), y.end() - 2));
  if (!row) result.push_back(x[x.size() - 2]);
  if (!column) result.push_back(y.back());
  return result;
}

Cost matmul_cost(const Dims& a, const Dims& output) {
  double flops = 2.0 * (a.empty() ? 1.0 : static_cast<double>(a.back()));
  for (const int64_t d : output) flops *= static_cast<double>(d);
  return {flops};
}

}  // namespace planish::ops
