#include "ops/contraction.h"
#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_qlinear_matmul(InferContext& context) {
  context.set_output(0, tensor_type(context.input_dtype(7), matmul_shape(context, 0, 3)));
}

Cost cost_qlinear_matmul(const ir::Node&,
                         std::span<const Dims> inputs,
                         std::span<const Dims> outputs) {
  return matmul_cost(inputs[0], outputs[0]);
}

}  // namespace

PLANISH_OPERATOR(qlinear_matmul) {
  const TypeSet types = type_bit(DType::kInt8) | type_bit(DType::kUint8) |
                        type_bit(DType::kFloat8E4M3Fn) | type_bit(DType::kFloat8E4M3Fnuz) |
                        type_bit(DType::kFloat8E5M2) | type_bit(DType::kFloat8E5M2Fnuz);
  const TypeSet scales =
      type_bit(DType::kFloat32) | type_bit(DType::kFloat16) | type_bit(DType::kBfloat16);
  OpDef d;
  d.name = "QLinearMatMul";
  d.since = 10;
  d.inputs = {{"a", Arity::kRequired, types, "T1"},
              {"a_scale", Arity::kRequired, scales, "TS"},
              {"a_zero_point", Arity::kRequired, types, "T1"},
              {"b", Arity::kRequired, types, "T2"},
              {"b_scale", Arity::kRequired, scales, "TS"},
              {"b_zero_point", Arity::kRequired, types, "T2"},
              {"y_scale", Arity::kRequired, scales, "TS"},
              {"y_zero_point", Arity::kRequired, types, "T3"}};
  d.outputs = {{"y", Arity::kRequired, types, "T3"}};
  d.infer = &infer_qlinear_matmul;
  d.cost = &cost_qlinear_matmul;
  return d;
}

}  // namespace planish::ops
