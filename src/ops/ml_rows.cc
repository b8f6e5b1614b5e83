#include "ops/ml_rows.h"

namespace planish::ops {

constinit const TypeSet kFeatures = type_bit(DType::kFloat32) | type_bit(DType::kFloat64) |
                                    type_bit(DType::kInt64) | type_bit(DType::kInt32);

SizeExpr row_count(InferContext& context) {
  const Shape* x = context.input_shape(0);
  if (!x) return context.fresh_dim();
  if (x->size() != 1 && x->size() != 2) {
    context.fail(fmt::format("the input is {}; expected rows of features, [N, C]", to_string(*x)));
  }
  return x->size() == 2 ? (*x)[0] : SizeExpr(1);
}

void infer_classifier(InferContext& context, std::string_view ints, std::string_view strings) {
  const size_t numbers = context.attributes().get_ints(ints).size();
  const size_t names = context.attributes().get_strings(strings).size();
  if ((numbers == 0) == (names == 0))
    context.fail(fmt::format("exactly one of {} and {} must be given", ints, strings));
  const SizeExpr rows = row_count(context);
  context.set_output(0, Type::tensor(numbers != 0 ? DType::kInt64 : DType::kString, {rows}));
  context.set_output(
      1, Type::tensor(DType::kFloat32, {rows, static_cast<int64_t>(std::max(numbers, names))}));
}

void infer_float_rows(InferContext& context) {
  row_count(context);  // checks the rank
  Type type = context.input_type(0);
  if (type.is_tensor()) type.dtype = DType::kFloat32;
  context.set_output(0, std::move(type));
}

void infer_regressor(InferContext& context, int64_t targets, DType dtype) {
  if (targets < 1) context.fail(fmt::format("the number of targets is {}", targets));
  context.set_output(0, Type::tensor(dtype, {row_count(context), targets}));
}

}  // namespace planish::ops
