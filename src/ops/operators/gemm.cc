#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_gemm(InferContext& context) {
  const bool ta = context.attributes().get_int("transA", 0) != 0;
  const bool tb = context.attributes().get_int("transB", 0) != 0;
  const Shape *a = context.input_shape(0), *b = context.input_shape(1), *c = context.input_shape(2);
  if ((a && a->size() != 2) || (b && b->size() != 2)) context.fail("A and B must be matrices");
  if (a && b) same_dim(context, (*a)[ta ? 0 : 1], (*b)[tb ? 1 : 0], "the inner dims of A and B");
  const Shape y = {a ? (*a)[ta ? 1 : 0] : context.fresh_dim(),
                   b ? (*b)[tb ? 0 : 1] : context.fresh_dim()};
  if (c) {
    if (c->size() > 2) context.fail(fmt::format("C {} has more than two dims", to_string(*c)));
    for (size_t i = 0; i < c->size(); ++i) {  // aligned at the last axis
      const std::optional<int64_t> from = (*c)[c->size() - 1 - i].constant(),
                                   to = y[1 - i].constant();
      if (from && to && *from != 1 && *from != *to) {
        context.fail(
            fmt::format("C {} does not broadcast to the result {}", to_string(*c), to_string(y)));
      }
    }
  }
  context.set_output(0, tensor_type(context.input_dtype(0), y));
}

// Before opset 7, C was broadcast only when asked: other shapes had to be equal, which NumPy's rule
// reads alike.
void upgrade_gemm(UpgradeContext& context) { context.node().attributes.erase("broadcast"); }

Cost cost_gemm(const ir::Node& node, std::span<const Dims> inputs, std::span<const Dims> outputs) {
  const int64_t inner = inputs[0][node.attributes.get_int("transA", 0) != 0 ? 0 : 1];
  const double cells = static_cast<double>(outputs[0][0]) * static_cast<double>(outputs[0][1]);
  return {cells * (2 * static_cast<double>(inner) + (inputs.size() > 2 ? 1 : 0))};
}

}  // namespace

PLANISH_OPERATOR(gemm) {
  const TypeSet types = kAnyFloat | type_bit(DType::kInt32) | type_bit(DType::kInt64) |
                        type_bit(DType::kUint32) | type_bit(DType::kUint64);
  OpDef d;
  d.name = "Gemm";
  d.inputs = {{"A", Arity::kRequired, types, "T"},
              {"B", Arity::kRequired, types, "T"},
              {"C", Arity::kOptional, types, "T"}};
  d.outputs = {{"Y", Arity::kRequired, types, "T"}};
  d.attributes = {{"alpha", AttrKind::kFloat},
                  {"beta", AttrKind::kFloat},
                  {"transA", AttrKind::kInt},
                  {"transB", AttrKind::kInt}};
  d.legacy_attributes = {"broadcast"};
  d.infer = &infer_gemm;
  d.upgrade = &upgrade_gemm;
  d.cost = &cost_gemm;
  return d;
}

}  // namespace planish::ops
