#include "ops/quantization.h"
#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_quantize_linear(InferContext& context) {
  check_scales(context, 0, 1, 2);
  const DType named = dtype_attribute(context, "output_dtype"), zero = context.input_dtype(2);
  if (named != DType::kUndefined && zero != DType::kUndefined && named != zero) {
    context.fail(fmt::format("output_dtype {} and the zero point's type {} differ",
                             to_string(named), to_string(zero)));
  }
  if (named != DType::kUndefined && (kAnyQuantized & type_bit(named)) == 0) {
    context.fail(fmt::format("{} is not a quantized type", to_string(named)));
  }
  const DType precision = dtype_attribute(context, "precision");
  if (precision != DType::kUndefined && (kAnyFloat & type_bit(precision)) == 0) {
    context.fail(fmt::format("precision {} is not a float type", to_string(precision)));
  }
  // Without a name or a zero point it is uint8; a zero point of unknown type leaves it open.
  const DType type = named != DType::kUndefined ? named
                     : context.has_input(2)     ? zero
                                                : DType::kUint8;
  const Shape* x = context.input_shape(0);
  context.set_output(0, tensor_type(type, x ? std::optional(*x) : std::nullopt));
}

}  // namespace

PLANISH_OPERATOR(quantize_linear) {
  const TypeSet inputs = type_bit(DType::kFloat32) | type_bit(DType::kFloat16) |
                         type_bit(DType::kBfloat16) | type_bit(DType::kInt32);
  OpDef d;
  d.name = "QuantizeLinear";
  d.since = 10;
  d.inputs = {{"x", Arity::kRequired, inputs},
              {"y_scale", Arity::kRequired, kScale | type_bit(DType::kInt32)},
              {"y_zero_point", Arity::kOptional, kAnyQuantized, "T3"}};
  d.outputs = {{"y", Arity::kRequired, kAnyQuantized, "T3"}};
  d.attributes = {{"axis", AttrKind::kInt},
                  {"block_size", AttrKind::kInt},
                  {"output_dtype", AttrKind::kInt},
                  {"precision", AttrKind::kInt},
                  {"saturate", AttrKind::kInt}};
  d.infer = &infer_quantize_linear;
  d.upgrade = &upgrade_scales;
  return d;
}

}  // namespace planish::ops
