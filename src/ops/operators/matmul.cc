#include "ops/contraction.h"
#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_matmul(InferContext& context) {
  context.set_output(0, tensor_type(context.input_dtype(0), matmul_shape(context, 0, 1)));
}

Cost cost_matmul(const ir::Node&, std::span<const Dims> inputs, std::span<const Dims> outputs) {
  return matmul_cost(inputs[0], outputs[0]);
}

}  // namespace

PLANISH_OPERATOR(matmul) {
  const TypeSet types = kAnyFloat | type_bit(DType::kInt32) | type_bit(DType::kInt64) |
                        type_bit(DType::kUint32) | type_bit(DType::kUint64);
  OpDef d;
  d.name = "MatMul";
  d.inputs = {{"A", Arity::kRequired, types, "T"}, {"B", Arity::kRequired, types, "T"}};
  d.outputs = {{"Y", Arity::kRequired, types, "T"}};
  d.infer = &infer_matmul;
  d.cost = &cost_matmul;
  return d;
}

}  // namespace planish::ops
