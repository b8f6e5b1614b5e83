#include "ops/quantization.h"

#include "ops/shape_helpers.h"

namespace planish::ops {

constinit const TypeSet kQuantizedIn =
    type_bit(DType::kInt8) | type_bit(DType::kUint8) | type_bit(DType::kInt16) |
    type_bit(DType::kUint16) | type_bit(DType::kInt32) | type_bit(DType::kInt4) |
    type_bit(DType::kUint4) | type_bit(DType::kInt2) | type_bit(DType::kUint2) |
    type_bit(DType::kFloat8E4M3Fn) | type_bit(DType::kFloat8E4M3Fnuz) |
    type_bit(DType::kFloat8E5M2) | type_bit(DType::kFloat8E5M2Fnuz) | type_bit(DType::kFloat4E2M1);
constinit const TypeSet kScale = type_bit(DType::kFloat16) | type_bit(DType::kBfloat16) |
                                 type_bit(DType::kFloat32) | type_bit(DType::kFloat8E8M0);

void check_scales(const InferContext& context, size_t x, size_t scale, size_t zero) {
  const Shape *s = context.input_shape(scale), *z = context.input_shape(zero),
              *shape = context.input_shape(x);
  if (s && z && s->size() > 1 && z->size() != s->size()) {
    context.fail(fmt::format("the zero point {} and the scale {} differ in shape", to_string(*z),
                             to_string(*s)));
  }
  for (size_t i = 0; s && z && z->size() == s->size() && i < s->size(); ++i) {
    same_dim(context, (*s)[i], (*z)[i], "the lengths of scale and zero point");
  }
  const int64_t block = context.attributes().get_int("block_size", 0);
  if (block < 0) context.fail(fmt::format("block_size is {}", block));
  if (!s || !shape || s->empty() || (s->size() == 1 && (*s)[0] == SizeExpr(1) && block == 0))
    return;
  const int64_t axis = normalize_axis(context, context.attributes().get_int("axis", 1),
                                      static_cast<int64_t>(shape->size()));
  const SizeExpr& length = (*shape)[static_cast<size_t>(axis)];
  if (s->size() == 1 && block == 0) {
    // A length of 1 that shows only at run time is legal too.
    if ((*s)[0].is_constant())
      same_dim(context, (*s)[0], length, "the number of scales and the axis");
    return;
  }
  if (s->size() != shape->size()) {
    context.fail(fmt::format("scales {} for {} are neither one, nor per axis, nor blocks",
                             to_string(*s), to_string(*shape)));
  }
  for (size_t i = 0; i < s->size(); ++i) {
    const bool blocked = static_cast<int64_t>(i) == axis;
    if (blocked && block == 0) continue;
    same_dim(context, (*s)[i], blocked ? SizeExpr::ceil_div(length, block) : (*shape)[i],
             "the dims of scale and input");
  }
}

DType dtype_attribute(const InferContext& context, std::string_view name) {
  const int64_t code = context.attributes().get_int(name, 0);
  if (code < 0 || code >= kDTypeCount)
    context.fail(fmt::format("{} {} is no element type", name, code));
  return static_cast<DType>(code);
}

void upgrade_scales(UpgradeContext& context) {
  if (context.from() < 13) context.node().attributes.erase("axis");
}

}  // namespace planish::ops
