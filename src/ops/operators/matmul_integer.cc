#include "ops/contraction.h"
#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_matmul_integer(InferContext& context) {
  context.set_output(0, tensor_type(DType::kInt32, matmul_shape(context, 0, 1)));
}

Cost cost_matmul_integer(const ir::Node&,
                         std::span<const Dims> inputs,
                         std::span<const Dims> outputs) {
  return matmul_cost(inputs[0], outputs[0]);
}

}  // namespace

PLANISH_OPERATOR(matmul_integer) {
  const TypeSet bytes = type_bit(DType::kInt8) | type_bit(DType::kUint8);
  OpDef d;
  d.name = "MatMulInteger";
  d.since = 10;
  d.inputs = {{"A", Arity::kRequired, bytes, "T1"},
              {"B", Arity::kRequired, bytes, "T2"},
              {"a_zero_point", Arity::kOptional, bytes, "T1"},
              {"b_zero_point", Arity::kOptional, bytes, "T2"}};
  d.outputs = {{"Y", Arity::kRequired, type_bit(DType::kInt32)}};
  d.infer = &infer_matmul_integer;
  d.cost = &cost_matmul_integer;
  return d;
}

}  // namespace planish::ops
