// ai.onnx.ml LinearRegressor.
#include "reference/linear_model.h"
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_linear_regressor(const Call& call) {
  const Rows x = read_rows(call);
  const int64_t targets = call.attributes.get_int("targets", 1);
  std::vector<double> y = linear_scores(call, x, targets);
  const PostTransform transform = read_post_transform(call);
  for (int64_t r = 0; r < x.rows; ++r) {
    apply_post_transform(transform, std::span(y).subspan(static_cast<size_t>(r * targets),
                                                         static_cast<size_t>(targets)));
  }
  return results(from_doubles(DType::kFloat32, {x.rows, targets}, y));
}

}  // namespace

PLANISH_REFERENCE(linear_regressor) {
  return {"ai.onnx.ml", "LinearRegressor", &eval_linear_regressor};
}

}  // namespace planish::reference
