#include "ops/block_types.h"

namespace planish::ops {
namespace {

void infer_if(InferContext& context) {
  const std::vector<Type> yes = context.infer_block(0, {}), no = context.infer_block(1, {});
  const size_t outputs = context.output_count();
  if (yes.size() != no.size() || yes.size() < outputs) {
    context.fail(fmt::format("the branches give {} and {} values for {} outputs", yes.size(),
                             no.size(), outputs));
  }
  // A constant condition decides here and now.
  const Tensor* condition = context.input_constant(0);
  const bool known = condition && condition->size() == 1;
  for (size_t i = 0; i < outputs; ++i) {
    if (known) {
      context.set_output(i, condition->raw()[0] != std::byte{0} ? yes[i] : no[i]);
    } else {
      context.set_output(i, cover(context, yes[i], no[i], fmt::format("output {}", i)));
    }
  }
}

}  // namespace

PLANISH_OPERATOR(if) {
  OpDef d;
  d.name = "If";
  d.inputs = {{"cond", Arity::kRequired, type_bit(DType::kBool)}};
  d.outputs = {{"outputs", Arity::kVariadic}};
  d.blocks = {"then_branch", "else_branch"};
  d.infer = &infer_if;
  return d;
}

}  // namespace planish::ops
