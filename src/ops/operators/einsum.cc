#include <map>

#include "ops/shape_helpers.h"
#include "reference/einsum_equation.h"

namespace planish::ops {
namespace {

void infer_einsum(InferContext& context) {
  const DType dtype = context.input_dtype(0);
  std::vector<int64_t> ranks;
  for (size_t i = 0; i < context.input_count(); ++i) {
    const Shape* shape = context.input_shape(i);
    if (!shape) {
      context.set_output(0, Type::tensor(dtype));
      return;
    }
    ranks.push_back(static_cast<int64_t>(shape->size()));
  }
  const reference::EinsumEquation equation =
      reference::parse_einsum(context.attributes().get_string("equation"), ranks);
  std::map<int, SizeExpr> sizes;
  for (size_t i = 0; i < equation.terms.size(); ++i) {
    for (size_t axis = 0; axis < equation.terms[i].size(); ++axis) {
      const SizeExpr& dim = (*context.input_shape(i))[axis];
      const auto [it, fresh] = sizes.emplace(equation.terms[i][axis], dim);
      if (!fresh) it->second = broadcast_dim(context, it->second, dim);
    }
  }
  Shape shape;
  for (const int label : equation.result) shape.push_back(sizes.at(label));
  context.set_output(0, Type::tensor(dtype, std::move(shape)));
}

// As one contraction over all labels; a good order can only do with less.
Cost cost_einsum(const ir::Node& node, std::span<const Dims> inputs, std::span<const Dims>) {
  std::vector<int64_t> ranks;
  for (const Dims& dims : inputs) ranks.push_back(static_cast<int64_t>(dims.size()));
  const reference::EinsumEquation equation =
      reference::parse_einsum(node.attributes.get_string("equation"), ranks);
  std::map<int, int64_t> sizes;
  for (size_t i = 0; i < equation.terms.size(); ++i) {
    for (size_t axis = 0; axis < equation.terms[i].size(); ++axis) {
      int64_t& size = sizes[equation.terms[i][axis]];
      size = std::max(size, inputs[i][axis]);
    }
  }
  double flops = 2;
  for (const auto& [label, size] : sizes) flops *= static_cast<double>(size);
  return {flops};
}

}  // namespace

PLANISH_OPERATOR(einsum) {
  OpDef d;
  d.name = "Einsum";
  d.since = 12;
  d.inputs = {{"Inputs", Arity::kVariadic, kAnyNumeric, "T"}};
  d.outputs = {{"Output", Arity::kRequired, kAnyNumeric, "T"}};
  d.attributes = {{"equation", AttrKind::kString, true}};
  d.infer = &infer_einsum;
  d.cost = &cost_einsum;
  return d;
}

}  // namespace planish::ops
