#include "ops/block_types.h"
#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

// Number of iterations, when M alone decides.
SizeExpr trip_count(InferContext& context) {
  if (context.has_input(0) && !context.has_input(1)) {
    const std::optional<ir::SymbolicTensor> m = context.input_symbolic(0);
    if (m && m->elements.size() == 1) return SizeExpr::max(m->elements[0], 0);
  }
  return context.fresh_dim();
}

void infer_loop(InferContext& context) {
  std::vector<Type> carried;
  for (size_t i = 2; i < context.input_count(); ++i) carried.push_back(context.input_type(i));
  const std::vector<Type> before = {Type::tensor(DType::kInt64, {}),
                                    Type::tensor(DType::kBool, {})};
  const Carried c = infer_carried(context, before, carried, {}, 1);
  const size_t outputs = context.output_count();
  if (c.results.size() < 1 + outputs) {
    context.fail(fmt::format("the body gives {} values for a condition and {} outputs",
                             c.results.size(), outputs));
  }
  const SizeExpr trips = trip_count(context);
  for (size_t i = 0; i < outputs; ++i) {
    if (i < carried.size()) {
      context.set_output(i, c.outside[i]);
      continue;
    }
    Type type = c.results[1 + i];
    if (type.kind != Type::Kind::kUnknown && !type.is_tensor()) {
      context.fail(fmt::format("scan output {} is {}; only tensors stack", i, to_string(type)));
    }
    if (type.shape) type.shape->insert(type.shape->begin(), trips);
    context.set_output(i, std::move(type));
  }
}

}  // namespace

PLANISH_OPERATOR(loop) {
  OpDef d;
  d.name = "Loop";
  d.inputs = {{"M", Arity::kOptional, type_bit(DType::kInt64)},
              {"cond", Arity::kOptional, type_bit(DType::kBool)},
              {"v_initial", Arity::kVariadic}};
  d.outputs = {{"v_final_and_scan_outputs", Arity::kVariadic}};
  d.blocks = {"body"};
  d.infer = &infer_loop;
  return d;
}

}  // namespace planish::ops
