#include "ops/quantization.h"
#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_dequantize_linear(InferContext& context) {
  check_scales(context, 0, 1, 2);
  const DType named = dtype_attribute(context, "output_dtype"), scale = context.input_dtype(1);
  const DType type = named != DType::kUndefined    ? named
                     : scale == DType::kFloat8E8M0 ? DType::kFloat32
                                                   : scale;
  const Shape* x = context.input_shape(0);
  context.set_output(0, tensor_type(type, x ? std::optional(*x) : std::nullopt));
}

}  // namespace

PLANISH_OPERATOR(dequantize_linear) {
  const TypeSet outputs =
      type_bit(DType::kFloat32) | type_bit(DType::kFloat16) | type_bit(DType::kBfloat16);
  OpDef d;
  d.name = "DequantizeLinear";
  d.since = 10;
  d.inputs = {{"x", Arity::kRequired, kQuantizedIn, "T1"},
              {"x_scale", Arity::kRequired, kScale},
              {"x_zero_point", Arity::kOptional, kQuantizedIn, "T1"}};
  d.outputs = {{"y", Arity::kRequired, outputs}};
  d.attributes = {
      {"axis", AttrKind::kInt}, {"block_size", AttrKind::kInt}, {"output_dtype", AttrKind::kInt}};
  d.infer = &infer_dequantize_linear;
  d.upgrade = &upgrade_scales;
  return d;
}

}  // namespace planish::ops
