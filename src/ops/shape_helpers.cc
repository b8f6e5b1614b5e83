#include "ops/shape_helpers.h"

#include <algorithm>

#include "base/elements.h"

namespace planish::ops {

int64_t normalize_axis(const InferContext& context,
                       int64_t axis,
                       int64_t rank,
                       std::string_view what) {
  if (axis < -rank || axis >= rank) {
    context.fail(
        fmt::format("{} {} is outside [{}, {}) for rank {}", what, axis, -rank, rank, rank));
  }
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> normalize_axes(const InferContext& context,
                                    std::span<const int64_t> axes,
                                    int64_t rank,
                                    std::string_view what) {
  std::vector<int64_t> out;
  out.reserve(axes.size());
  for (const int64_t axis : axes) out.push_back(normalize_axis(context, axis, rank, what));
  std::vector<int64_t> sorted = out;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) context.fail(fmt::format("{} name axis {} twice", what, *twice));
  return out;
}

SizeExpr product(std::span<const SizeExpr> dims) {
  SizeExpr result = 1;
  for (const SizeExpr& dim : dims) result = result * dim;
  return result;
}

Shape fresh_shape(InferContext& context, int64_t rank) {
  Shape shape;
  for (int64_t i = 0; i < rank; ++i) shape.push_back(context.fresh_dim());
  return shape;
}

Shape to_shape(std::span<const int64_t> dims) { return {dims.begin(), dims.end()}; }

SizeExpr same_dim(const InferContext& context,
                  const SizeExpr& a,
                  const SizeExpr& b,
                  std::string_view what) {
  if (a.is_constant() && b.is_constant() && a != b) {
    context.fail(fmt::format("{} differ: {} and {}", what, a.to_string(), b.to_string()));
  }
  return b.is_constant() ? b : a;
}

SizeExpr broadcast_dim(const InferContext& context, const SizeExpr& a, const SizeExpr& b) {
  if (a == b) return a;
  const std::optional<int64_t> x = a.constant();
  const std::optional<int64_t> y = b.constant();
  if (x == 1) return b;
  if (y == 1) return a;
  if (x && y) context.fail(fmt::format("dims {} and {} do not broadcast", *x, *y));
  if (x) return a;
  if (y) return b;
  return SizeExpr::max(a, b) * SizeExpr::min(SizeExpr::min(a, b), 1);
}

Shape broadcast(const InferContext& context, const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape out = longer;
  const size_t shift = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    out[shift + i] = broadcast_dim(context, longer[shift + i], shorter[i]);
  }
  return out;
}

std::optional<Shape> broadcast_inputs(const InferContext& context, size_t first, size_t last) {
  std::optional<Shape> out;
  for (size_t i = first; i < last; ++i) {
    if (!context.has_input(i)) continue;
    const Shape* shape = context.input_shape(i);
    if (shape == nullptr) return std::nullopt;
    out = out ? broadcast(context, *out, *shape) : *shape;
  }
  return out;
}

Type tensor_type(DType dtype, std::optional<Shape> shape) {
  return shape ? Type::tensor(dtype, std::move(*shape)) : Type::tensor(dtype);
}

void same_as_input(InferContext& context, size_t input, size_t output) {
  if (!context.has_input(input)) return;
  context.set_output(output, context.input_type(input));
  if (auto content = context.input_symbolic(input)) {
    context.set_symbolic(output, std::move(*content));
  }
}

void infer_same(InferContext& context) {
  if (!context.has_input(0)) return;
  context.set_output(0, context.input_type(0));
}

namespace {

DType common_dtype(const InferContext& context) {
  for (size_t i = 0; i < context.input_count(); ++i) {
    const DType dtype = context.input_dtype(i);
    if (dtype != DType::kUndefined) return dtype;
  }
  return DType::kUndefined;
}

}  // namespace

void infer_broadcast(InferContext& context) {
  context.set_output(
      0, tensor_type(common_dtype(context), broadcast_inputs(context, 0, context.input_count())));
}

void infer_compare(InferContext& context) {
  context.set_output(
      0, tensor_type(DType::kBool, broadcast_inputs(context, 0, context.input_count())));
}

std::optional<ir::SymbolicTensor> symbolic_content(const Tensor& tensor) {
  if (tensor.dtype() != DType::kInt32 && tensor.dtype() != DType::kInt64) return std::nullopt;
  if (tensor.size() > kMaxSymbolicElements) return std::nullopt;
  ir::SymbolicTensor out;
  out.dims = tensor.dims();
  out.elements.reserve(static_cast<size_t>(tensor.size()));
  for (int64_t i = 0; i < tensor.size(); ++i) out.elements.emplace_back(load_int(tensor, i));
  return out;
}

std::optional<ir::SymbolicTensor> elementwise(const ir::SymbolicTensor& a,
                                              const ir::SymbolicTensor& b,
                                              SymbolicFn fn) {
  const size_t rank = std::max(a.dims.size(), b.dims.size());
  ir::SymbolicTensor out;
  out.dims.resize(rank);
  std::vector<size_t> step_a(rank, 0), step_b(rank, 0);
  size_t stride_a = 1, stride_b = 1;
  int64_t count = 1;
  for (size_t i = rank; i-- > 0;) {
    const size_t from_end = rank - i;
    const int64_t x = from_end <= a.dims.size() ? a.dims[a.dims.size() - from_end] : 1;
    const int64_t y = from_end <= b.dims.size() ? b.dims[b.dims.size() - from_end] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out.dims[i] = x == 1 ? y : x;
    if (x != 1) step_a[i] = stride_a;
    if (y != 1) step_b[i] = stride_b;
    stride_a *= static_cast<size_t>(x);
    stride_b *= static_cast<size_t>(y);
    if (out.dims[i] > kMaxSymbolicElements) return std::nullopt;
    count *= out.dims[i];
    if (count > kMaxSymbolicElements) return std::nullopt;
  }
  out.elements.reserve(static_cast<size_t>(count));
  try {
    for (int64_t flat = 0; flat < count; ++flat) {
      size_t at_a = 0, at_b = 0;
      int64_t rest = flat;
      for (size_t i = rank; i-- > 0;) {
        const auto index = static_cast<size_t>(rest % out.dims[i]);
        rest /= out.dims[i];
        at_a += index * step_a[i];
        at_b += index * step_b[i];
      }
      out.elements.push_back(fn(a.elements[at_a], b.elements[at_b]));
    }
  } catch (const Error&) {
    return std::nullopt;  // an overflow or a zero divisor: the run will say so if it gets there
  }
  return out;
}

void propagate_binary(InferContext& context, SymbolicFn fn) {
  if (!context.has_input(0) || !context.has_input(1)) return;
  const auto a = context.input_symbolic(0);
  if (!a) return;
  const auto b = context.input_symbolic(1);
  if (!b) return;
  if (auto out = elementwise(*a, *b, fn)) context.set_symbolic(0, std::move(*out));
}

}  // namespace planish::ops
