#include "passes/random_products_test.h"

namespace planish::passes {
namespace {

V weights(Draw& draw, DType dtype, const Dims& dims) {
  return draw.one_in(10) ? draw.value(dtype, dims) : draw.constant(dtype, dims);
}

// Appends a bias or none.
void add_bias(Draw& draw, std::vector<V>& inputs, DType dtype, const Dims& dims) {
  if (draw.one_in(2)) inputs.push_back(weights(draw, dtype, dims));
}

V conv(Draw& draw, DType dtype, bool transposed) {
  const int64_t group = draw.one_in(3) ? 2 : 1;
  const int64_t in = 1 + draw.below(2), out = 1 + draw.below(3);
  const int64_t rank = draw.one_in(3) ? 1 : 2;
  const int64_t kernel = draw.one_in(3) ? 2 : 1;
  Dims x = {draw.one_in(16) ? 0 : 1 + draw.below(2), group * in};
  Dims w = transposed ? Dims{group * in, out} : Dims{group * out, in};
  for (int64_t i = 0; i < rank; ++i) {
    x.push_back(kernel + draw.below(2));
    w.push_back(kernel);
  }
  Attributes attributes;
  if (group > 1) attributes.set("group", group);
  if (draw.one_in(4)) attributes.set("pads", Ints(static_cast<size_t>(2 * rank), 1));
  if (draw.one_in(8)) attributes.set("strides", Ints(static_cast<size_t>(rank), 2));
  std::vector<V> inputs = {draw.value(dtype, x), weights(draw, dtype, w)};
  add_bias(draw, inputs, dtype, {group * out});
  return draw.emit(transposed ? "ConvTranspose" : "Conv", std::move(inputs), std::move(attributes));
}

V gemm(Draw& draw, DType dtype) {
  const int64_t m = draw.dim(), n = draw.dim(), k = draw.dim();
  Attributes attributes;
  Dims a = {m, k}, b = {k, n};
  if (draw.one_in(4)) {
    attributes.set("transA", int64_t{1});
    a = {k, m};
  }
  if (draw.one_in(2)) {
    attributes.set("transB", int64_t{1});
    b = {n, k};
  }
  if (draw.one_in(4)) attributes.set("alpha", 0.5f);
  if (draw.one_in(4)) attributes.set("beta", draw.one_in(2) ? 0.0f : 2.0f);
  std::vector<V> inputs = {draw.value(dtype, a), weights(draw, dtype, b)};
  const std::array<Dims, 6> bias = {Dims{n}, Dims{n}, Dims{1, n}, Dims{}, Dims{m, 1}, Dims{m, n}};
  add_bias(draw, inputs, dtype, draw.pick(bias));
  return draw.emit("Gemm", std::move(inputs), std::move(attributes));
}

V matmul(Draw& draw, DType dtype) {
  const int64_t m = draw.dim(), n = draw.dim(), k = draw.dim();
  Dims a = {m, k}, b = {k, n};
  switch (draw.below(8)) {
    case 0:
      a = {k};
      break;
    case 1:
      b = {k};
      break;
    case 2:
      a = {2, m, k};
      break;
    case 3:
      b = {2, k, n};
      break;
    default:
      break;
  }
  return draw.emit("MatMul", {draw.value(dtype, a), weights(draw, dtype, b)});
}

}  // namespace

V product(Draw& draw, std::string_view op, DType dtype) {
  if (op == "Gemm") return gemm(draw, dtype);
  if (op == "MatMul") return matmul(draw, dtype);
  return conv(draw, dtype, op == "ConvTranspose");
}

}  // namespace planish::passes
