// ai.onnx.ml TreeEnsembleRegressor: per target the sum (average, least, greatest) of the weights of
// the leaves that a row reaches, plus base value, transformed.
#include "reference/forest.h"
#include "reference/post_transform.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_tree_ensemble_regressor(const Call& call) {
  const int64_t targets = call.attributes.get_int("n_targets", 1);
  if (targets < 1) fail(ErrorCode::kInvalidModel, "{}: n_targets is {}", call.op, targets);
  const std::string name = call.attributes.get_string("aggregate_function", "SUM");
  constexpr std::string_view kNames[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  size_t which = 0;
  while (which < 4 && name != kNames[which]) ++which;
  if (which == 4)
    fail(ErrorCode::kInvalidModel, "{}: '{}' is no aggregate_function", call.op, name);
  return regress(call, read_forest(call, "target", targets), targets, static_cast<Aggregate>(which),
                 float_list(call, "base_values"), static_cast<uint8_t>(read_post_transform(call)),
                 DType::kFloat32);
}

}  // namespace

PLANISH_REFERENCE(tree_ensemble_regressor) {
  return {"ai.onnx.ml", "TreeEnsembleRegressor", &eval_tree_ensemble_regressor};
}

}  // namespace planish::reference
