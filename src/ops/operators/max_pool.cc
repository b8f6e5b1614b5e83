#include "ops/shape_helpers.h"
#include "ops/window.h"

namespace planish::ops {
namespace {

void infer_max_pool(InferContext& context) {
  const std::optional<Shape> shape = pooling_shape(context);
  context.set_output(0, tensor_type(context.input_dtype(0), shape));
  if (context.output_count() > 1) context.set_output(1, tensor_type(DType::kInt64, shape));
}

}  // namespace

PLANISH_OPERATOR(max_pool) {
  const TypeSet types = kAnyFloat | type_bit(DType::kInt8) | type_bit(DType::kUint8);
  OpDef d;
  d.name = "MaxPool";
  d.inputs = {{"X", Arity::kRequired, types, "T"}};
  d.outputs = {{"Y", Arity::kRequired, types, "T"},
               {"Indices", Arity::kOptional, type_bit(DType::kInt64)}};
  d.attributes =
      window_attributes({{"ceil_mode", AttrKind::kInt}, {"storage_order", AttrKind::kInt}});
  d.infer = &infer_max_pool;
  d.cost = &pooling_cost;
  return d;
}

}  // namespace planish::ops
